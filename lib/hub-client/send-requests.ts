import type { Kind } from '../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { HubApi } from './hub-api.ts'
import { resourcePath } from './resource-path.ts'

/** A merge patch of an object. */
export interface ObjectPatch {
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
  readonly body: object
}

/** A new object. */
export interface Creation {
  readonly kind: Kind
  readonly namespace: string
  readonly object: KubernetesObject
}

export type WriteRequest = ObjectPatch | Creation

/** One after the other. Fails with ApiFailure or HubUnreachable; those before have been carried out. */
export const sendRequests = async (api: HubApi, requests: readonly WriteRequest[]): Promise<void> => {
  for (const request of requests) {
    if ('object' in request)
      await api.post(resourcePath(request.kind, { namespace: request.namespace }), request.object)
    else await api.mergePatch(resourcePath(request.kind, request), request.body)
  }
}
