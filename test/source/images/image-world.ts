import { composeImages } from '../../../lib/compose/images.ts'
import { openPgp } from '../../../lib/compose/open-pgp.ts'
import { defaultSettings, type Settings } from '../../../lib/compose/settings/settings.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import type { CloudLogin } from '../../../lib/sources/oci/cloud-login.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { wires } from '../../bed/wires.ts'
import { openWorld, shown } from '../../unit/reconcile/world.ts'

export const group = 'image.toolkit.fluxcd.io'
export const minute = 60_000
const author = { fieldManager: 'author' }
export const refOf = (kind: string, name: string, namespace = 'default') => ({
  group: kind === 'Namespace' ? '' : group,
  kind,
  namespace: kind === 'Namespace' ? '' : namespace,
  name,
})

/** A hub that scans images and chooses their latest tags; it goes when the running test ends. `login` replaces those of clouds. */
export const openImageWorld = async (choices: Partial<Settings> = {}, login?: CloudLogin) => {
  const connections = wires()
  const settings = { ...defaultSettings, ...choices }
  const world = await openWorld(ports =>
    composeImages({ ...ports, connections, openPgp, ...(login && { login }) }, settings, { hub: ports.hub }),
  )
  endWithTest({ [Symbol.asyncDispose]: world.close })
  const applies = async (kind: string, name: string, spec: object, namespace = 'default', metadata: object = {}) => {
    const object = { apiVersion: `${group}/v1`, kind, metadata: { name, namespace, ...metadata }, spec }
    await world.hub.patch(refOf(kind, name, namespace), { type: 'apply', object }, { ...author, force: true })
    await world.settle()
  }
  const get = <T extends KubernetesObject>(kind: string, name: string, namespace?: string) =>
    world.hub.get<T>(refOf(kind, name, namespace))
  return {
    ...world,
    get,
    applies,
    create: (kind: string, name: string, rest: object, namespace = 'default') =>
      world.hub.create({ apiVersion: 'v1', kind, metadata: { name, namespace }, ...rest }, author),
    repository: (name: string, spec: object, ...more: [string?, object?]) =>
      applies('ImageRepository', name, { interval: '10m', insecure: true, ...spec }, ...more),
    policy: (name: string, spec: object, namespace?: string) =>
      applies('ImagePolicy', name, { imageRepositoryRef: { name: 'app' }, ...spec }, namespace),
    async request(kind: string, name: string, value: string, namespace?: string) {
      const patch = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': value } } }
      await world.hub.patch(refOf(kind, name, namespace), { type: 'merge', patch }, author)
      await world.settle()
    },
    /** Ready first. */
    conditions: async (kind: string, name: string, namespace?: string) =>
      shown(await get(kind, name, namespace)).toSorted(),
    /** Names of the stored lists of tags. */
    lists: async () =>
      (await Array.fromAsync(world.platform.artifacts.list('imagerepository/'))).map(({ name }) => name).sort(),
  }
}

export type ImageWorld = Awaited<ReturnType<typeof openImageWorld>>
