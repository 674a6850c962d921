import { badRequest, expired } from '../hub/api-errors.ts'
import { ApiError } from '../hub/hub.ts'
import { invalid, quoted } from '../kinds/field-error.ts'
import { answer } from './answer.ts'
import type { Handler } from './call.ts'
import { listOptionsOf } from './list-options.ts'
import { viewOf } from './views.ts'

export const listObjects: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const { query, resourceVersion, resourceVersionMatch } = listOptionsOf(call)
  const { items, ...found } = await api.hub.list(query)
  if (resourceVersion && !query.continue) requireVersion(resourceVersion, resourceVersionMatch, found.resourceVersion)
  return answer(call, view.list(items, found), view.format)
}

/** Lists are always of now: of an exact earlier version there is none any more, of a later one none yet. */
const requireVersion = (wanted: string, match: string, found: string): void => {
  if (!/^\d{1,19}$/.test(wanted))
    throw badRequest(
      `invalid resource version: resourceVersion: ${invalid('', wanted, `strconv.ParseUint: parsing ${quoted(wanted)}: invalid syntax`).message}`,
    )
  const behind = BigInt(wanted) - BigInt(found)
  if (behind > 0n)
    throw new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${found}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    })
  if (behind < 0n && match === 'Exact') throw expired('The resourceVersion for the provided list is too old.')
}
