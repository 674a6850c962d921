import { ForgeError } from './forge.ts'
import type { JsonApi, JsonApiResponse } from './json-api.ts'

const maxPages = 1_000

/** The items of a paged list; fetches pages as they are consumed. Fails with ForgeError. */
export async function* pages<T>(
  api: JsonApi,
  first: URL,
  itemsOf: (body: unknown) => unknown,
  nextOf: (response: JsonApiResponse, url: URL) => URL | undefined = nextByLink,
): AsyncGenerator<T> {
  let url: URL | undefined = first
  for (let page = 0; url; page++) {
    if (page === maxPages) throw new ForgeError(`GET ${first.origin}${first.pathname}: more than ${maxPages} pages`)
    const response: JsonApiResponse = await api.get(url)
    const items = itemsOf(response.body)
    if (!Array.isArray(items)) throw new ForgeError(`GET ${url.origin}${url.pathname}: the response is not a list`)
    yield* items as T[]
    const next: URL | undefined = nextOf(response, url)
    url = next && next.origin === first.origin ? next : undefined
  }
}

/** The `Link` header's `rel="next"` (RFC 8288). */
export const nextByLink = (response: JsonApiResponse, url: URL): URL | undefined => {
  for (const link of (response.header('link') ?? '').split(',')) {
    const [, target] = /^\s*<([^>]*)>.*;\s*rel="?next"?/.exec(link) ?? []
    if (target) return URL.parse(target, url.href) ?? undefined
  }
  return undefined
}

/** Returns the URL with these query parameters set. */
export const withQuery = (url: string | URL, parameters: Readonly<Record<string, string>>): URL => {
  const result = new URL(url)
  for (const [name, value] of Object.entries(parameters)) result.searchParams.set(name, value)
  return result
}

/** Maps items as they come, so that a caller that stops early requests no further pages. */
export async function* mapAsync<T, R>(items: AsyncIterable<T>, map: (item: T) => R): AsyncGenerator<R> {
  for await (const item of items) yield map(item)
}
