import type { ServedKind } from '../kinds/all.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { Patch, PatchOptions, WriteOptions } from './hub.ts'

export const trackedUpdate = (
  _served: ServedKind,
  _old: KubernetesObject | undefined,
  object: KubernetesObject,
  _options: WriteOptions,
  _now: string,
): KubernetesObject => object

export const patched = (_served: ServedKind, old: KubernetesObject, _change: Exclude<Patch, { type: 'apply' }>) => old

export const appliedTo = (
  _served: ServedKind,
  _old: KubernetesObject | undefined,
  applied: KubernetesObject,
  _options: PatchOptions,
  _now: string,
) => applied
