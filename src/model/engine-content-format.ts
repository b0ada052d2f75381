import { type TemplateNode, templateNodes, templateSyntax, UnsupportedTemplateError } from "../template/index.ts";

type Loop = TemplateNode & { readonly type: "for" };
type Macro = TemplateNode & { readonly type: "macro" };

/** Words that make SGLang hand lists of parts to a template (sglang@0.5.23 parser/jinja_template_utils.py). */
const mediaWords = ["image", "audio", "video", "vision"];

/** Whether SGLang hands content to the template as the list of parts that it came as; otherwise as text. */
export function sglangTakesParts(source: string): boolean {
  if (mediaWords.some((word) => source.includes(word))) return true;
  const loops = nodesOf(source).filter((node): node is Loop => node.type === "for");
  return loops.some(({ items }) => ["message", "msg", "m"].some((name) => isAccess(items, name, "content")));
}

/**
 * Whether vLLM hands content to the template as a list of parts, otherwise as text (vllm@0.33.0 renderers/hf.py _detect_content_format):
 * a loop goes over the content of what a loop over the messages, or a name they were given, goes over; or over a macro's parameter
 * that content is passed to; or over a variable `content`.
 */
export function vllmTakesParts(source: string): boolean {
  const nodes = nodesOf(source);
  const loops = nodes.filter((node): node is Loop => node.type === "for");
  const lists = namesOfMessages(nodes);
  const messages = loops.filter(({ items }) => lists.some((name) => isAccess(items, name)));
  if (messages.some(({ target }) => target.type !== "name")) return false;
  const names = messages.flatMap(({ target }) => (target.type === "name" ? [target.name] : []));
  const macros = nodes.filter((node): node is Macro => node.type === "macro");
  const inMacros = new Map<TemplateNode, ReadonlySet<string>>();
  for (const macro of macros) {
    const parameters = contentParameters(macro, nodes, names);
    for (const node of templateNodes(macro.body)) if (node.type === "for") inMacros.set(node, parameters);
  }
  return loops.some((loop) => {
    if (names.some((name) => isAccess(loop.items, name, "content"))) return true;
    if (loop.items.type !== "name") return false;
    return inMacros.get(loop)?.has(loop.items.name) ?? loop.items.name === "content";
  });
}

/** What cannot be parsed counts as a template that takes text; it cannot be rendered anyway. */
function nodesOf(source: string): readonly TemplateNode[] {
  try {
    return [...templateNodes(templateSyntax(source))];
  } catch (error) {
    if (error instanceof UnsupportedTemplateError) return [];
    throw error;
  }
}

/** The messages' own name and those that they are given by assignments, also members of namespaces. */
function namesOfMessages(nodes: readonly TemplateNode[]): readonly string[] {
  const names = ["messages"];
  const add = (name: string) => {
    if (!names.includes(name)) names.push(name);
  };
  for (const known of names) {
    for (const node of nodes) {
      if (node.type !== "set") continue;
      for (const name of namesAssigned(node, known)) add(name);
    }
  }
  return names;
}

function namesAssigned({ target, value }: TemplateNode & { readonly type: "set" }, known: string): readonly string[] {
  if (target.type === "name" && value.type === "call" && isName(value.callee, "namespace")) {
    return value.args.named.filter(([, item]) => isAccess(item, known)).map(([name]) => `${target.name}.${name}`);
  }
  if (!isAccess(value, known)) return [];
  if (target.type === "name") return [target.name];
  return target.type === "member" && target.object.type === "name" ? [`${target.object.name}.${target.name}`] : [];
}

/** Parameters of a macro that some call passes the content of a message to. */
function contentParameters(
  { name, parameters }: Macro,
  nodes: readonly TemplateNode[],
  messages: readonly string[],
): ReadonlySet<string> {
  const isContent = (value: TemplateNode) => messages.some((message) => isAccess(value, message, "content"));
  const passed = new Set<string>();
  for (const node of nodes) {
    if (node.type !== "call" || !isName(node.callee, name)) continue;
    node.args.positional.forEach((value, at) => {
      const parameter = parameters.names[at];
      if (parameter !== undefined && isContent(value)) passed.add(parameter);
    });
    for (const [key, value] of node.args.named) if (parameters.names.includes(key) && isContent(value)) passed.add(key);
  }
  return passed;
}

/** Whether a value is the variable (or its member `key`), through filters, tests and slices. */
function isAccess(value: TemplateNode | undefined, name: string, key?: string): boolean {
  if (value === undefined) return false;
  if (value.type === "filter" || value.type === "test") return isAccess(value.operand, name, key);
  if (value.type === "slice") return isAccess(value.object, name, key);
  if (key === undefined) return isName(value, name);
  if (value.type === "attribute") return value.name === key && isName(value.object, name);
  if (value.type === "item") return value.key.type === "const" && value.key.value === key && isName(value.object, name);
  return false;
}

/** Whether a value is the variable; `a.b` names a member of a namespace. */
function isName(value: TemplateNode, name: string): boolean {
  if (value.type === "name") return value.name === name;
  if (value.type !== "attribute") return false;
  const dot = name.lastIndexOf(".");
  return dot !== -1 && value.name === name.slice(dot + 1) && isName(value.object, name.slice(0, dot));
}
