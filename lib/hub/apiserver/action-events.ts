/** An Event for each action of a person in the console, or of an agent: who, what, why, and from where. */
import { userAction } from '../../foundations/fleet/user-action.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Hub } from '../store/hub.ts'
import { observedWrites } from './observed-writes.ts'

/** Records an Event of an object. */
export type RecordAction = (
  object: KubernetesObject,
  occurrence: { readonly severity: 'info'; readonly reason: string; readonly message: string; readonly isAction: true },
  component: string,
) => Promise<void>

export interface ActingUser {
  readonly user: string
  /** The address of the client, if known. */
  readonly remote: string | undefined
  /** The action was done, but is in no Event. */
  readonly onError: (error: unknown) => void
}

/** The field managers of the console and of tools for agents. What kubectl and flux do is as it is in Kubernetes. */
const components: ReadonlySet<string> = new Set(['keelson-console', 'keelson-mcp'])

/** The hub as a user has it: their writes are recorded, if they are actions. */
export type WithActionEvents = (hub: Hub, by: ActingUser) => Hub

/**
 * Wraps a hub for one request. The Event is written after the action is stored; a failure to write it does not fail the
 * action.
 */
export const recordActions =
  (write: RecordAction): WithActionEvents =>
  (hub, { user, remote, onError }) => {
    const record = async (object: KubernetesObject, old: KubernetesObject | undefined, component: string) => {
      const action = userAction(object, old)
      const about = action && (await hub.get(action.about))
      if (!action || !about) return
      const by = `${user}${remote ? ` from ${remote}` : ''}`
      const { apiVersion, kind } = action.about.kind === object.kind ? object : about
      const occurrence = {
        severity: 'info',
        reason: action.reason,
        message: `${by} ${action.message}`,
        isAction: true,
      } as const
      await write({ ...about, apiVersion, kind }, occurrence, component)
    }
    return observedWrites(hub, async (object, old, { fieldManager }) => {
      if (components.has(fieldManager)) await record(object, old, fieldManager).catch(onError)
    })
  }
