import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { SecretSource } from '../../platform/ports/secret-source.ts'
import type { Hub } from './hub.ts'

/** Ours, on a Secret: its data are taken from the platform's keeper of secrets, where this names one of the namespace's. */
export const secretReferenceAnnotation = 'keelson.dev/secret-from'

/**
 * The hub as reconcilers see it: a Secret that refers to data outside comes with them. They are never stored, and whoever
 * reads the Secret through the API sees the reference only. Keys that the Secret has itself stay as they are.
 */
export const withSecretReferences = <H extends Pick<Hub, 'get'>>(hub: H, source: SecretSource): H => ({
  ...hub,
  get: async <T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined> => {
    const object = await hub.get<T>(ref)
    if (!object || ref.group !== '' || ref.kind !== 'Secret') return object
    const name = object.metadata.annotations?.[secretReferenceAnnotation]
    if (!name) return object
    const data: Record<string, string> = Object.create(null)
    for (const [key, value] of await source.read(ref.namespace, name)) data[key] = Buffer.from(value).toString('base64')
    return { ...object, data: Object.assign(data, object.data) }
  },
})
