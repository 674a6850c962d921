import { quote } from '../../go/quote.ts'
import { badRequest, expired } from '../../hub/api-errors.ts'
import type { HubPage } from '../../hub/hub.ts'
import { ApiError } from '../../hub/hub.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { invalid } from '../../kinds/schema/field-error.ts'
import type { Handler } from '../call.ts'
import { viewOf } from '../views.ts'
import { answer, streamedAnswer } from '../wire/answer.ts'
import { listOptionsOf } from './list-options.ts'
import { listText, shortListText } from './list-text.ts'

/** What is limited to so much is made whole, its metadata first. */
const shortLimit = 500

export const listObjects: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const { query, resourceVersion, resourceVersionMatch } = listOptionsOf(call)
  const pages = api.hub.pages(query)[Symbol.asyncIterator]()
  const { value: first } = await pages.next()
  if (resourceVersion && !query.continue) requireVersion(resourceVersion, resourceVersionMatch, first.resourceVersion)
  const { limit } = query
  const all = startingWith(first, pages)
  if (limit && limit <= shortLimit)
    return answer(call, await shortListText(view.list, await together(all)), view.format)
  const metadata = limit ? undefined : { resourceVersion: first.resourceVersion }
  return streamedAnswer(call, listText(view.list, all, metadata), view.format)
}

async function* startingWith<T>(first: T, rest: AsyncIterator<T>): AsyncGenerator<T, void> {
  try {
    yield first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

type Page = HubPage<KubernetesObject>

const together = async (pages: AsyncIterable<Page>): Promise<Page> => {
  let all: Page | undefined
  for await (const page of pages) all = { ...page, items: [...(all?.items ?? []), ...page.items] }
  return all!
}

/** Lists are always of now: of an exact earlier version there is none any more, of a later one none yet. */
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
