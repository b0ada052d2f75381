import { minijinjaTests } from "../checks/minijinja-tests.ts";
import { minijinjaFilters } from "../filters/minijinja-filters.ts";
import { minijinjaFunctions } from "../functions/minijinja-functions.ts";
import { unescapeMinijinja } from "../lexer/escapes.ts";
import { dynamoSource } from "../source/dynamo-source.ts";
import { minijinjaCompare, minijinjaEquals } from "../values/compare.ts";
import { minijinjaContains } from "../values/contains.ts";
import { isTrue, minijinjaIterate } from "../values/iterate.ts";
import { serdeNumber } from "../values/json.ts";
import { minijinjaAttribute, minijinjaCallMethod, minijinjaItem, minijinjaSlice } from "../values/minijinja-members.ts";
import { minijinjaNegative, minijinjaOperations } from "../values/minijinja-operations.ts";
import { dynamoText, joinedTexts, minijinjaText } from "../values/text.ts";
import { isText } from "../values/value.ts";
import type { Dialect } from "./dialect.ts";

/** minijinja@2.24.0 with pycompat, as Dynamo's frontend sets it up (dynamo-renderer@8.0.3 template/formatters.rs, in dynamo@1.6.1). */
export const dynamo: Dialect = {
  name: "dynamo",
  syntax: {
    normalizesLineEnds: false,
    trimsAfterRaw: true,
    hasTuples: false,
    isPythonic: false,
    nameStart: /[A-Za-z_][A-Za-z0-9_]*/y,
    unescape: unescapeMinijinja,
  },
  prepareSource: dynamoSource,
  readNumber: serdeNumber,
  filters: minijinjaFilters,
  tests: minijinjaTests,
  functions: minijinjaFunctions,
  operations: minijinjaOperations,
  negative: minijinjaNegative,
  equals: minijinjaEquals,
  less: (left, right) => minijinjaCompare(left, right) < 0,
  lessOrEqual: (left, right) => minijinjaCompare(left, right) <= 0,
  contains: minijinjaContains,
  isTrue,
  print: dynamoText,
  concat: (values) => joinedTexts(values, minijinjaText),
  attribute: minijinjaAttribute,
  item: minijinjaItem,
  isOnlyMember: () => true,
  slice: minijinjaSlice,
  callMethod: minijinjaCallMethod,
  checkNamespaceName: () => undefined,
  iterate: minijinjaIterate,
  elseAlsoAfter: "first-break",
  foldsAnd: true,
  loopHasLength: (value) => !isText(value),
  // A limit of 500 frames, of which a macro takes six.
  recursion: { macro: 6, loop: 1, fine: 200, refused: 500 },
  unpacksTexts: false,
  implicitParameters: ["caller"],
  defaultsReplaceUndefined: true,
  capturesHaveScope: false,
};
