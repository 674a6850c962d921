import type { ApiHandler } from '../apiserver/api-server.ts'
import { type Credential, peerOf } from './credential.ts'

/** A request on its way to the API. */
export interface Received {
  readonly request: Request
  readonly sent?: Promise<unknown> | undefined
  readonly remote?: string | undefined
}

export interface RecognizedUser {
  readonly name: string
  readonly groups: readonly string[]
}

/** The user whom the API recognizes by a credential; undefined if it recognizes none. */
export const userOf = async (
  api: ApiHandler,
  credential: Credential,
  { request, sent, remote }: Received,
): Promise<RecognizedUser | undefined> => {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': request.headers.get('user-agent') ?? '',
    ...('token' in credential && { authorization: `Bearer ${credential.token}` }),
  }
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
  const review = new Request(new URL(reviews, request.url), { method: 'POST', headers, body, signal: request.signal })
  const response = await api(review, peerOf(credential), sent, remote)
  if (!response.ok) return undefined
  const { status } = (await response.json()) as {
    readonly status?: { readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] } }
  }
  const { username, groups = [] } = status?.userInfo ?? {}
  return username ? { name: username, groups } : undefined
}

const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
