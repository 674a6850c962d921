/** Terms without a value are left out. */
export const withQuery = (pathname: string, query: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(query).filter((term): term is [string, string] => Boolean(term[1]))
  return given.length > 0 ? `${pathname}?${new URLSearchParams(given)}` : pathname
}
