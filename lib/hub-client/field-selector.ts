/** `a=b,c=d` of a query, with what has another meaning escaped. Terms without a value are left out. */
export const fieldSelector = (terms: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(terms)
    .flatMap(([field, value]) => (value ? [`${field}=${value.replace(/[\\,=]/g, '\\$&')}`] : []))
    .join(',')
