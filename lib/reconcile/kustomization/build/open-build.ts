import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { References } from '../../../hub/references/references.ts'

/** In the place of a variable of a Secret. */
const placeholder = Buffer.from('hidden').toString('base64')

/** A unit whose builds know the repository, inline variables and those of ConfigMaps, and no secrets: nothing is decrypted. */
export const withoutDecryption = ({ spec: { decryption, ...spec }, ...unit }: Kustomization): Kustomization =>
  ({ ...unit, spec }) as Kustomization

/** The same references, with another value in the place of each one of a Secret. */
export const withoutSecrets = (references: References): References => ({
  ...references,
  local: async <T extends KubernetesObject>(...[referrer, kind, name]: Parameters<References['local']>) => {
    const found = await references.local<T>(referrer, kind, name)
    if (!found || kind.group !== '' || kind.kind !== 'Secret') return found
    const { data = {} } = found as { readonly data?: Readonly<Record<string, string>> }
    return { ...found, data: Object.fromEntries(Object.keys(data).map(key => [key, placeholder])) }
  },
  localSecret: async () => undefined,
})
