/** A HelmRelease that is undone. */
import type { Release } from '../../../../lib/engines/helm/release/release.ts'
import { decodeRelease } from '../../../../lib/engines/helm/release/stored-release.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { contentsDigest } from '../../../../lib/reconcile/helm-release/undo/contents-digest.ts'
import { author, releaseRef, type Scene } from './scene.ts'

export const undo = 'keelson.dev/undo'

/** The versions that Helm stores, the oldest first. */
export const storedIn = async ({ hub }: Scene): Promise<readonly Release[]> => {
  const { items } = await hub.list({ group: '', kind: 'Secret', namespace: 'default' })
  const secrets = items as readonly (KubernetesObject & { readonly data?: Readonly<Record<string, string>> })[]
  return secrets
    .filter(({ type }) => type === 'helm.sh/release.v1')
    .map(({ data }) => decodeRelease(Buffer.from(data!.release!, 'base64').toString()))
    .sort((a, b) => a.version - b.version)
}

/** As `helm history` shows them. */
export const historyIn = async (scene: Scene): Promise<readonly string[]> =>
  (await storedIn(scene)).map(
    ({ version, info, chart }) => `${version} ${info.status} ${chart?.metadata.version}: ${info.description}`,
  )

export const contentsOf = async (scene: Scene, version: number): Promise<string> =>
  contentsDigest((await storedIn(scene)).find(release => release.version === version)!)

/** As a user does with kubectl; null resumes. */
export const undoTo = async ({ hub, settle }: Scene, to: string | null, user = 'jane') => {
  const patch = { metadata: { annotations: { [undo]: to } } }
  await hub.patch(releaseRef('app'), { type: 'merge', patch }, { ...author, user })
  await settle()
}

export const conditionsIn = async ({ read }: Scene) => {
  const { conditions } = (await read('app'))?.status ?? {}
  const of = (type: string) => {
    const found = conditionOf(conditions, type)
    return found && `${found.status} ${found.reason}: ${found.message}`
  }
  return { ready: of('Ready'), pinned: of('Pinned'), waiting: of('Waiting'), released: of('Released') }
}

/** The values of the ConfigMaps of releases, by their names. */
export const valuesIn = async ({ hub }: Scene): Promise<Readonly<Record<string, string>>> => {
  const { items } = await hub.list({ group: '', kind: 'ConfigMap', namespace: 'default' })
  const maps = items as readonly (KubernetesObject & { readonly data?: { readonly version?: string } })[]
  return Object.fromEntries(
    maps.flatMap(({ metadata: { name }, data }) => (data?.version === undefined ? [] : [[name, data.version]])),
  )
}

export const map = (name: string, version: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {version: "${version}"}\n`
