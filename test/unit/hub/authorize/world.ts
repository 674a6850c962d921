import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { createApiServer } from '../../../../lib/hub/apiserver/api-server.ts'
import type { AccessControl } from '../../../../lib/hub/authorize/access-control.ts'
import { accessControl } from '../../../../lib/hub/authorize/access-control.ts'
import type { ManualClock } from '../../../contracts/manual-clock.ts'
import type { Answer, SendOptions } from '../apiserver/world.ts'
import { requestOf } from '../apiserver/world.ts'
import { by, hubWorld, registry } from '../store/world.ts'

export const rbac = 'rbac.authorization.k8s.io/v1'
export const rbacRoot = `/apis/${rbac}`

export interface AccessWorld {
  readonly access: AccessControl
  readonly clock: ManualClock
  /** A request by jane of the group `devs`, who may do nothing by herself. */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>
  /** As `send`, told as `403 message` or `200`. */
  told(method: string, path: string, options?: SendOptions): Promise<string>
  /** Stores an object as somebody who may do everything. */
  given(kind: string, name: string, content: object, namespace?: string): Promise<KubernetesObject>
  stored(kind: string, name: string): Promise<KubernetesObject | undefined>
}

/**
 * A hub whose API judges by roles: the default ones, and those that a test gives. With a `maxAgeMs` what is given counts as
 * written by another process.
 */
export const accessWorld = async (maxAgeMs = Number.POSITIVE_INFINITY): Promise<AccessWorld> => {
  const onError = (error: unknown) => {
    throw error
  }
  const isAlone = maxAgeMs === Number.POSITIVE_INFINITY
  let access: AccessControl | undefined
  const { hub, clock } = await hubWorld({ onChange: (ref, _, after) => isAlone && access?.notice(ref, after) })
  access = accessControl({ hub, clock, onError }, maxAgeMs)
  await access.prepare()
  const handle = createApiServer({
    hub,
    kinds: () => registry,
    clock,
    authenticate: async () => ({ name: 'jane', groups: ['devs', 'system:authenticated'] }),
    authorizer: access.authorizer,
    onError,
  })
  const send: AccessWorld['send'] = async (method, path, options = {}) => {
    const response = await handle(requestOf(method, path, options))
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith('{') ? JSON.parse(text) : { message: text },
    }
  }
  return {
    access,
    clock,
    send,
    told: async (...request) => {
      const { status, json } = await send(...request)
      return status < 300 ? `${status}` : `${status} ${json.message}`
    },
    given: (kind, name, content, namespace) =>
      hub.create(
        { apiVersion: rbac, kind, metadata: { name, ...(namespace && { namespace }) }, ...content },
        by('test'),
      ),
    stored: (kind, name) => hub.get({ group: 'rbac.authorization.k8s.io', kind, namespace: '', name }),
  }
}

export const jane = { kind: 'User', name: 'jane' }
export const clusterRole = (name: string) => ({ kind: 'ClusterRole', name })
