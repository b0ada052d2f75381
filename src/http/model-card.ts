/** A model as clients may ask for it. */
export interface ListedModel {
  readonly id: string;
  /** The model that an alias or an adapter belongs to; undefined for a model itself. */
  readonly root: string | undefined;
}

/** The entry of a model in `/v1/models`, in OpenAI's words or Anthropic's. @param createdMs ms since 1970 */
export function modelCard({ id, root }: ListedModel, createdMs: number, isAnthropic: boolean): object {
  if (isAnthropic) {
    return { type: "model", id, display_name: id, created_at: new Date(createdMs).toISOString() };
  }
  const card = { id, object: "model", created: Math.floor(createdMs / 1_000), owned_by: "pointsman" };
  return root === undefined ? card : { ...card, root };
}

/** JSON of the answer of `/v1/models`. @param cards JSON of each model's entry */
export function modelListText(ids: readonly string[], cards: readonly string[], isAnthropic: boolean): string {
  const data = cards.join(",");
  if (!isAnthropic) return `{"object":"list","data":[${data}]}`;
  const [first, last] = [ids[0], ids.at(-1)].map((id) => JSON.stringify(id ?? null));
  return `{"data":[${data}],"has_more":false,"first_id":${first},"last_id":${last}}`;
}
