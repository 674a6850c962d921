import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { SecretSource } from '../../platform/ports/secret-source.ts'
import type { Hub } from './hub.ts'

/** Keelson's own annotation on a Secret: reads its data from the platform's secret manager, from one of the namespace's secrets. */
export const secretReferenceAnnotation = 'keelson.dev/secret-from'

/**
 * The hub for reconcilers: a Secret that refers to external data includes it. The data is never stored, and readers of the API see only the
 * reference. The Secret's own keys are kept.
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
