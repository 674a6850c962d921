import { createHash } from 'node:crypto'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/**
 * Whether a reconcile of an object should check that its artifact is stored, where that costs a request and the storage is durable. Without any
 * memory: each object has a window in every `everyMs`, long enough for at least one of its reconciles, and those of many are spread.
 */
export const isCheckDue = (
  { metadata }: KubernetesObject,
  { now, intervalMs, everyMs }: { readonly now: number; readonly intervalMs: number; readonly everyMs: number },
): boolean => {
  const digest = createHash('sha256')
    .update(metadata.uid ?? `${metadata.namespace}/${metadata.name}`)
    .digest()
  const offset = digest.readUInt32BE() % Math.max(1, everyMs)
  return (now + offset) % Math.max(1, everyMs) < 2 * intervalMs
}
