import { EventError, fieldsOf } from './event-error.ts'

const event = 'question of the door'

/** What the function `api` asks of `apiserver` beside the requests that it passes on: whom the hub knows. */
export const trustedIssuersQuestion = { question: 'trustedIssuers' } as const

/** Whether an event is that question: what is passed on has no such field. */
export const isQuestion = (input: unknown): boolean =>
  fieldsOf(event, input).value('question') === trustedIssuersQuestion.question

const answer = 'answer to the door'

/** The answer's fields. Fails with EventError, where something else answers. */
export const parseTrustedIssuers = (
  text: string,
): { readonly accounts: string[]; readonly keySet: { keys: object[] } } => {
  const fields = fieldsOf(answer, parsed(text))
  const accounts = fields.value('accounts')
  const keys = fields.object('keySet').value('keys')
  if (!Array.isArray(accounts) || !accounts.every(account => typeof account === 'string') || !Array.isArray(keys))
    throw new EventError(answer, 'accounts or keySet.keys is not a list')
  return { accounts, keySet: { keys } }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new EventError(answer, 'it is not JSON')
  }
}
