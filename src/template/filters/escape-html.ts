const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};

/** MarkupSafe's escaping. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>'"]/g, (sign) => entities[sign] ?? sign);
}
