import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Hub, WriteOptions } from '../store/hub.ts'

/** Called with what was stored, and with what was there before. */
export type OnStored = (
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  options: WriteOptions,
) => Promise<void>

/** A hub that reports what is created or changed through it. Dry runs store nothing. */
export const observedWrites = (hub: Hub, onStored: OnStored): Hub => {
  const observed = async <T extends KubernetesObject, O extends WriteOptions>(
    options: O,
    store: (options: O) => Promise<T>,
  ): Promise<T> => {
    if (options.dryRun) return store(options)
    let old: KubernetesObject | undefined
    const admit: WriteOptions['admit'] = async (object, before) => {
      old = before
      await options.admit?.(object, before)
    }
    const object = await store({ ...options, admit })
    await onStored(object, old, options)
    return object
  }
  return {
    ...hub,
    create: (object, options) => observed(options, given => hub.create(object, given)),
    update: (object, options) => observed(options, given => hub.update(object, given)),
    patch: (ref, change, options) => observed(options, given => hub.patch(ref, change, given)),
  }
}
