import { EventError, fieldsOf } from './event-error.ts'

const request = 'request for trusted issuers'

/** The function `api` sends this to `apiserver`, beside the requests that it forwards. */
export const trustedIssuersRequest = { question: 'trustedIssuers' } as const

/** Whether an event is that request: events of function URLs have no field `question`. */
export const isTrustedIssuersRequest = (input: unknown): boolean =>
  fieldsOf(request, input).value('question') === trustedIssuersRequest.question

const response = 'response with trusted issuers'

/** Parses the response. Fails with EventError. */
export const parseTrustedIssuers = (
  text: string,
): {
  readonly accounts: string[]
  readonly keySet: { keys: object[] }
  readonly issuers: { readonly url: string; readonly keySet: { keys: object[] } }[]
} => {
  const fields = fieldsOf(response, parsed(text))
  const accounts = fields.value('accounts')
  const keys = fields.object('keySet').value('keys')
  if (!Array.isArray(accounts) || !accounts.every(account => typeof account === 'string') || !Array.isArray(keys))
    throw new EventError(response, 'accounts or keySet.keys is not a list')
  return { accounts, keySet: { keys }, issuers: issuersIn(fields.value('issuers')) }
}

/** None where the hub trusts no issuers. */
const issuersIn = (value: unknown) => {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new EventError(response, 'issuers is not a list')
  return value.map(one => {
    const fields = fieldsOf(response, one)
    const keys = fields.object('keySet').value('keys')
    if (!Array.isArray(keys)) throw new EventError(response, 'issuers[].keySet.keys is not a list')
    return { url: fields.text('url'), keySet: { keys: keys as object[] } }
  })
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new EventError(response, 'it is not JSON')
  }
}
