import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import { pinOf } from '../../foundations/rules/pin.ts'
import type { Pass, Reconciler } from '../runtime/reconciler.ts'
import { NoPreview } from '../windows/preview.ts'

interface Unit extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>> & { readonly sourceRef?: { readonly kind?: string } }
}

/** Fields with which a hub could apply what is not in the source. */
const addingFields = [
  ...['patches', 'images', 'components', 'postBuild', 'targetNamespace', 'namePrefix', 'nameSuffix', 'commonMetadata'],
]

/** Sources whose artifacts come from the hub and have the files of their author. */
const signableSources = new Set(['GitRepository', 'OCIRepository', 'Bucket'])

/** What in a unit comes from the hub alone, so that no signature covers it; undefined if there is nothing. */
export const unsignedPartOf = (object: KubernetesObject): string | undefined => {
  const { kind, spec } = object as Unit
  if (kind !== 'Kustomization') return kind === 'Cluster' ? undefined : `a ${kind}`
  if (undoOf(object)) return 'an undo'
  if (pinOf(object)) return 'the pin of a Rollout'
  const field = addingFields.find(name => isSet(spec?.[name]))
  if (field !== undefined) return `spec.${field}`
  if (isSet(spec?.decryption) && isSet(spec?.healthCheckExprs)) return seeingExpressions
  return signableSources.has(spec?.sourceRef?.kind ?? '') ? undefined : `a source of kind ${spec?.sourceRef?.kind}`
}

/** With expressions over Secrets, a hub could find out bit by bit what it can't decrypt. */
const seeingExpressions = 'spec.healthCheckExprs beside spec.decryption'

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

/** A reconciler that refuses units with parts that no signature covers. */
export const signedOnly = <T extends KubernetesObject>(reconciler: Reconciler<T>): Reconciler<T> => ({
  ...reconciler,
  reconcile: async (object, pass) => {
    const message = refusalOf(object)
    return message === undefined
      ? reconciler.reconcile(object, pass)
      : { type: 'stalled', reason: 'NotVerified', message }
  },
  ...(reconciler.preview && {
    preview: async (object: T, pass: Pass<T>) => {
      const message = refusalOf(object)
      if (message !== undefined) throw new NoPreview(message)
      return reconciler.preview!(object, pass)
    },
  }),
})

/** Why a runner that demands signatures does not apply a unit; undefined if it does. */
export const refusalOf = (object: KubernetesObject): string | undefined => {
  const part = unsignedPartOf(object)
  return part && `the runner demands signatures, and ${part} can't be signed: put it into the source`
}
