import { describeBody } from '../../foundations/rules/server-message.ts'
import type { HttpFailure, HttpResponse } from '../../platform/http/http-client.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'
import { GitError, type GitErrorCode, tooLarge } from './git-error.ts'

const maxReasonBytes = 64 << 10

const refusals: Readonly<Record<number, { code: GitErrorCode; text: string }>> = {
  401: { code: 'unauthorized', text: 'authentication required' },
  403: { code: 'forbidden', text: 'authorization failed' },
  404: { code: 'repositoryNotFound', text: 'repository not found' },
}

/** Bodies that say no more than their status. */
const commonplaces = ['404 page not found', 'repository not found', 'repository not found.']

/** A status that is not a success, in the words of go-git. Git over HTTP has no form for errors: a body is quoted only if it says nothing. */
export const refusal = async (answer: HttpResponse): Promise<GitError> => {
  const known = refusals[answer.status]
  if (known) return new GitError(known.code, `${known.text}: ${await reasonIn(answer)}`)
  await answer.discard()
  return new GitError('protocol', `unexpected requesting "${answer.url.href}" status code: ${answer.status}`)
}

const reasonIn = async (answer: HttpResponse): Promise<string> => {
  const body = await answer.prefix(maxReasonBytes)
  const text = body.toString('utf8')
  const isCommonplace = [reasonPhrase(answer.status).toLowerCase(), ...commonplaces].includes(text.trim().toLowerCase())
  return isCommonplace ? text : describeBody(body.length, answer.headers['content-type'])
}

/** No answer, or one that broke off, in the words of Go's HTTP client; a redirect that is refused; or an answer that is too large. */
export const gitFailure = ({ code, url, reason, cause }: HttpFailure): GitError => {
  if (code === 'unreachable') return new GitError(code, `Get "${url.href}": ${reason}`, { cause })
  return code === 'tooLarge' ? tooLarge(`the answer ${reason}`) : new GitError(code, `${url.href} ${reason}`)
}
