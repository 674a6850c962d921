/** Undo: a unit keeps manifests that it has applied before, until it is resumed. */
import type { KubernetesObject } from './object.ts'

/** On a unit: the digest of the manifests that it keeps. The hub adds what has failed if it went back by itself. */
export const undoAnnotation = 'keelson.dev/undo'
/** On a unit: who has undone it. */
export const undoneByAnnotation = 'keelson.dev/undone-by'
/** On a unit: why it was undone, for those who find it so. */
export const undoneForAnnotation = 'keelson.dev/undone-for'
/** On a unit: with the value `undo`, it goes back by itself when a new revision fails its health checks. */
export const onFailureAnnotation = 'keelson.dev/on-failure'

/** Reason of the condition `Pinned`, of Ready and of the Event of a unit that was undone. */
export const undone = 'Undone'

export interface Undo {
  /** Digest of the manifests that it keeps. */
  readonly to: string
  /** What it went back from by itself: it keeps the manifests for as long as the build and the generation are the same. */
  readonly failed?: FailedBuild
}

export interface FailedBuild {
  readonly digest: string
  readonly generation: number
  readonly revision: string
}

/** The value of the annotation: `DIGEST`, or `DIGEST FAILED-DIGEST GENERATION REVISION`. */
export const undoText = ({ to, failed }: Undo): string =>
  failed ? `${to} ${failed.digest} ${failed.generation} ${failed.revision}` : to

/** The undo of a unit. A text that can't be understood is no digest that the unit keeps: its passes fail, and change nothing. */
export const undoOf = (object: KubernetesObject): Undo | undefined => {
  const text = undoTextOf(object)
  if (text === undefined) return undefined
  const [to = '', digest, generation, revision] = text.split(' ')
  return revision ? { to, failed: { digest: digest!, generation: Number(generation), revision } } : { to: text }
}

/** The undo of a unit as a text; undefined for none. */
export const undoTextOf = (object: KubernetesObject): string | undefined =>
  object.metadata.annotations?.[undoAnnotation]

/** Who has undone a unit, and why: `jane has undone it (incident 4711)`. */
export const undoneByText = ({ metadata: { annotations = {} } }: KubernetesObject): string => {
  const { [undoneByAnnotation]: by = 'an unknown user', [undoneForAnnotation]: reason } = annotations
  return `${by} has undone it${reason ? ` (${reason.slice(0, maxReason)})` : ''}`
}

const maxReason = 500

/** Whether a Kustomization undoes a failed apply by itself: only with the annotation's exact value `undo`. */
export const goesBackByItself = ({ metadata }: KubernetesObject): boolean =>
  metadata.annotations?.[onFailureAnnotation] === 'undo'
