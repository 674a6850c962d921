import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import {
  goesBackByItself,
  type Undo,
  undoAnnotation,
  undoneByAnnotation,
  undoOf,
  undoText,
} from '../../foundations/kinds/undo.ts'
import { badRequest } from '../store/api-errors.ts'

/**
 * A unit of which its runner says that it goes back by itself, or no longer does. Fails with BadRequest unless its users want that for what it is now: a runner undoes
 * nothing else, and ends no undo of a user.
 */
export const withGoingBack = (unit: KubernetesObject, to: unknown): KubernetesObject => {
  const { [undoAnnotation]: _, [undoneByAnnotation]: __, ...others } = unit.metadata.annotations ?? {}
  const undo = undoOf(unit)
  if (undo && !undo.failed) throw badRequest(`a user has undone ${unit.kind} ${unit.metadata.name}`)
  const annotated = (annotations: Readonly<Record<string, string>>): KubernetesObject => ({
    ...unit,
    metadata: { ...unit.metadata, annotations },
  })
  if (to === null) return annotated(others)
  if (!goesBackByItself(unit)) throw badRequest(`${unit.kind} ${unit.metadata.name} is not to go back by itself`)
  if (!isOfNow(to, unit))
    throw badRequest('goesBack must name digests, the revision that has failed, and the generation')
  return annotated({ ...others, [undoAnnotation]: undoText(to) })
}

const isDigest = (value: unknown): boolean => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)

const isOfNow = (value: unknown, { metadata }: KubernetesObject): value is Required<Undo> => {
  const { to, failed } = (value ?? {}) as Partial<Undo>
  const isRevision = typeof failed?.revision === 'string' && /^[^\s]{1,300}$/.test(failed.revision)
  return isDigest(to) && isDigest(failed?.digest) && isRevision && failed?.generation === metadata.generation
}
