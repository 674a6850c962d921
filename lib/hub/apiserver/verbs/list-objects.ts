import { quote } from '../../../foundations/go/quote.ts'
import { describeRef, type KubernetesObject } from '../../../foundations/kinds/object.ts'
import { invalid } from '../../../foundations/kinds/schema/field-error.ts'
import { badRequest, expired } from '../../store/api-errors.ts'
import type { HubPage } from '../../store/hub.ts'
import { ApiError } from '../../store/hub.ts'
import { type Handler, memoryShareOf, readTurnOf, turnOf } from '../call.ts'
import { viewOf } from '../views.ts'
import { respond, streamedResponse } from '../wire/respond.ts'
import { eventsInOrder } from './events-in-order.ts'
import { listOptionsOf } from './list-options.ts'
import { listText, shortListText } from './list-text.ts'

/** A list with a lower limit is created as a whole, with its metadata first, unless its text is long. */
const shortLimit = 500
const shortSize = 1_000_000

/**
 * GET of a collection: by selectors, in pages of `limit`, and at a resourceVersion that clients have seen. Long lists
 * are streamed page by page, so the memory of one does not grow with it. Damaged objects are left out, with a warning.
 */
export const listObjects: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const { query, resourceVersion, resourceVersionMatch } = listOptionsOf(call)
  const turn = turnOf(api, call)
  const memory = memoryShareOf(api, call)
  const pages = pagesInTurn(api.hub.pages(query), readTurnOf(api, call), memory.enter)
  const first = (await pages.next()).value!
  for (const ref of first.damaged ?? []) call.warnings.push(`${describeRef(ref)} is omitted: its body can't be read`)
  memory.hold(heldBy(first))
  if (resourceVersion && !query.continue) requireVersion(resourceVersion, resourceVersionMatch, first.resourceVersion)
  const { limit } = query
  const all = startingWith(first, pages)
  if (limit && limit <= shortLimit) {
    const begin = await beginningOf(all)
    if (begin.isWhole) {
      const page = together(begin.pages)
      const items = call.served.kind.kind === 'Event' ? eventsInOrder(page.items) : page.items
      return respond(call, await shortListText(view.list, { ...page, items }), view.format)
    }
    return streamedResponse(call, listText(view.list, startingWithAll(begin.pages, all)), view.format, turn)
  }
  const metadata = limit ? undefined : { resourceVersion: first.resourceVersion }
  return streamedResponse(call, listText(view.list, all, metadata), view.format, turn)
}

type Page = HubPage<KubernetesObject>

async function* startingWith<T>(first: T, rest: AsyncIterator<T>): AsyncGenerator<T, void> {
  try {
    yield first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

async function* startingWithAll<T>(first: T[], rest: AsyncIterable<T>): AsyncGenerator<T, void> {
  for (let next = first.shift(); next !== undefined; next = first.shift()) yield next
  yield* rest
}

/** A page is held as its objects' JSON, as the text of the list, and as bytes. */
export const heldBy = ({ items }: Page): number => 3 * items.reduce((sum, { json }) => sum + json.length, 0)

/** The pages, each read in its own turn; the first once `enter` allows it. */
export async function* pagesInTurn<T>(
  pages: AsyncIterable<T>,
  turn: (() => Promise<void>) | undefined,
  enter = turn,
): AsyncGenerator<T, void> {
  await enter?.()
  for await (const page of pages) {
    yield page
    await turn?.()
  }
}

/** The first pages, and whether they are all; `pages` yields the others. */
const beginningOf = async (
  pages: AsyncGenerator<Page, void>,
): Promise<{ readonly pages: Page[]; readonly isWhole: boolean }> => {
  const begin: Page[] = []
  let size = 0
  for (let next = await pages.next(); !next.done; next = await pages.next()) {
    begin.push(next.value)
    for (const { json } of next.value.items) size += json.length
    if (size > shortSize) return { pages: begin, isWhole: false }
  }
  return { pages: begin, isWhole: true }
}

const together = (pages: readonly Page[]): Page => ({
  ...pages.at(-1)!,
  items: pages.flatMap(({ items }) => items),
})

/** Lists are always current: an exact earlier version is no longer available, a later one not yet. */
const requireVersion = (wanted: string, match: string, found: string): void => {
  if (!/^\d{1,19}$/.test(wanted))
    throw badRequest(
      `invalid resource version: resourceVersion: ${invalid('', wanted, `strconv.ParseUint: parsing ${quote(wanted)}: invalid syntax`).message}`,
    )
  const behind = BigInt(wanted) - BigInt(found)
  if (behind > 0n)
    throw new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${found}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    })
  if (behind < 0n && match === 'Exact') throw expired('The resourceVersion for the provided list is too old.')
}
