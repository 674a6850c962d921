import { type ClusterClient, ClusterError } from '../clusters/client/client.ts'
import { ApiFailure, type HubApi, type HubReader, HubUnreachable } from '../hub-client/hub-api.ts'
import type { HubAccess } from './hub-access.ts'

type PathClient = Required<Pick<ClusterClient, 'document' | 'submit'>>

/** What the hub's API serves by its paths, as the user of a kubeconfig. */
export const hubReader = ({ cluster, signal }: HubAccess): HubReader => {
  const { document } = cluster as PathClient
  return {
    get: <T>(path: string, stop = signal) =>
      orFailure(document(path, { signal: AbortSignal.any([signal, stop]) })) as Promise<T>,
  }
}

/** The same, with writes. */
export const hubApi = async (hub: HubAccess): Promise<HubApi> => {
  const { submit } = hub.cluster as PathClient
  const { signal } = hub
  const write = <T>(method: 'POST' | 'PATCH', path: string, contentType: string, body: object): Promise<T> =>
    orFailure(submit({ method, path, contentType, body }, { signal })) as Promise<T>
  const post: HubApi['post'] = (path, body) =>
    write('POST', `${path}?fieldManager=keelson-mcp`, 'application/json', body)
  return {
    ...hubReader(hub),
    user: await currentUser(post),
    post,
    mergePatch: (path, body) =>
      write('PATCH', `${path}?fieldManager=keelson-mcp`, 'application/merge-patch+json', body),
  }
}

const orFailure = async <T>(request: Promise<T>): Promise<T> => {
  try {
    return await request
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    if (error.status === undefined) throw new HubUnreachable(error)
    throw new ApiFailure(error.status, error.message)
  }
}

interface SelfReview {
  readonly status?: { readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] } }
}

const currentUser = async (post: HubApi['post']): Promise<HubApi['user']> => {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const { status } = await post<SelfReview>(path, review)
  return { name: status?.userInfo?.username ?? '', groups: status?.userInfo?.groups ?? [] }
}
