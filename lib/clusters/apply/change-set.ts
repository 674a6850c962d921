import { describeRef, type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'

/** `drifted`: it differs from what was applied, and was left alone. */
export type ChangeAction = 'created' | 'configured' | 'unchanged' | 'skipped' | 'deleted' | 'drifted'

/** What a run did to one object. */
export interface Change {
  readonly ref: ObjectRef
  readonly apiVersion: string
  readonly action: ChangeAction
  /** The file that the object came from, if known. */
  readonly origin?: string
  /** It was deleted first, as an immutable field had changed. */
  readonly recreated?: true
  /** The object before and after, if it existed before and if requested (`withStates`). May contain secrets. */
  readonly states?: { readonly before: KubernetesObject; readonly after: KubernetesObject }
}

/** In order of apply (or deletion). */
export type ChangeSet = readonly Change[]

/** What a run did to this object; its data is not kept, only who it is. */
export const changeOf = (object: KubernetesObject, action: ChangeAction, origin?: string): Change => ({
  ref: refOf(object),
  apiVersion: object.apiVersion,
  action,
  ...(origin !== undefined && { origin }),
})

/** `ConfigMap/default/a created`, as Flux writes it in events. */
export const describeChange = ({ ref, action }: Change): string => `${describeRef(ref)} ${action}`

/** One line per object that was created, configured or deleted; empty if none was. */
export const describeChanges = (changes: ChangeSet): string =>
  changes
    .filter(({ action }) => !['unchanged', 'skipped', 'drifted'].includes(action))
    .map(describeChange)
    .join('\n')
