import { pythonTests } from "../checks/python-tests.ts";
import { pythonFilters } from "../filters/python-filters.ts";
import { checkPythonNamespaceName, pythonFunctions } from "../functions/python-functions.ts";
import { unescapePython } from "../lexer/escapes.ts";
import { pythonCompare, pythonEquals } from "../values/compare.ts";
import { pythonContains } from "../values/contains.ts";
import { isTrue, pythonIterate } from "../values/iterate.ts";
import { pythonNumber } from "../values/json.ts";
import {
  isOnlyPythonMember,
  pythonAttribute,
  pythonCallMethod,
  pythonItem,
  pythonSlice,
} from "../values/python-members.ts";
import { pythonNegative, pythonOperations } from "../values/python-operations.ts";
import { joinedTexts, pythonText } from "../values/text.ts";
import type { Dialect } from "./dialect.ts";

/** jinja2@3.1.6 in the immutable sandbox, as transformers@5 compiles chat templates (chat_template_utils.py). */
export const huggingface: Dialect = {
  name: "huggingface",
  syntax: {
    normalizesLineEnds: true,
    trimsAfterRaw: false,
    hasTuples: true,
    isPythonic: true,
    nameStart: /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy,
    unescape: unescapePython,
  },
  prepareSource: (source) => source,
  readNumber: pythonNumber,
  filters: pythonFilters,
  tests: pythonTests,
  functions: pythonFunctions,
  operations: pythonOperations,
  negative: pythonNegative,
  equals: pythonEquals,
  less: (left, right) => pythonCompare(left, right) < 0,
  lessOrEqual: (left, right) => pythonCompare(left, right) <= 0,
  contains: pythonContains,
  isTrue,
  print: pythonText,
  concat: (values) => joinedTexts(values, pythonText),
  attribute: pythonAttribute,
  item: pythonItem,
  isOnlyMember: isOnlyPythonMember,
  slice: pythonSlice,
  callMethod: pythonCallMethod,
  checkNamespaceName: checkPythonNamespaceName,
  iterate: pythonIterate,
  elseAlsoAfter: "no-whole-pass",
  foldsAnd: false,
  loopHasLength: () => true,
  // Python's limit of 1000 frames; a macro takes three or more, and the server has its own below.
  recursion: { macro: 3, loop: 3, fine: 450, refused: 1_000 },
  unpacksTexts: true,
  implicitParameters: ["caller", "kwargs", "varargs"],
  defaultsReplaceUndefined: false,
  capturesHaveScope: true,
};
