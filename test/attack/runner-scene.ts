import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { runnerPath, type SyncResponse } from '../../lib/hub/runners/protocol.ts'
import { runnerSecretType } from '../../lib/hub/runners/runner-secret.ts'
import { signRequest } from '../../lib/hub/runners/signed-request.ts'
import type { ApiClient, ApiResponse } from './api-client.ts'
import { manifest } from './manifests.ts'
import type { AttackWorld } from './world.ts'

/** A Cluster that only a runner reaches, with one unit, and the key of its runner. */
export interface Joined {
  /** `NAMESPACE/NAME` */
  readonly cluster: string
  readonly key: KeyObject
  /** Path of its unit in the API. */
  readonly unit: string
  /** A request that is signed by its runner. */
  send(verb: string, content: object): Promise<ApiResponse>
  /** Takes its lease. */
  sync(): Promise<SyncResponse>
  /** The unit as a request names it, with its version. */
  about(): Promise<{ ref: object; uid: string; resourceVersion: string }>
}

export interface RunnerScene {
  /** The victim's runner, of which the attacker has no key. */
  readonly victim: Joined
  /** The attacker's own one, which may do all that a runner may. */
  readonly own: Joined
}

/** Both, under a new name. */
export const runnerScene = async ({ admin, mallory, freshName }: AttackWorld): Promise<RunnerScene> => {
  const name = freshName()
  const join = async (as: ApiClient, namespace: string): Promise<Joined> => {
    const { privateKey: key } = generateKeyPairSync('ed25519')
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
    const kubeConfig = { configMapRef: { name } }
    const sourceRef = { kind: 'GitRepository', name: 'app' }
    const substituteFrom = [{ kind: 'Secret', name: 'kept', optional: true }]
    const unit = manifest(
      'Kustomization',
      name,
      { spec: { interval: '1h', prune: true, path: './', sourceRef, kubeConfig, postBuild: { substituteFrom } } },
      { namespace },
    )
    const objects = [
      manifest('ConfigMap', name, { data: { provider: 'runner' } }, { namespace }),
      manifest('Cluster', name, { spec: { kubeConfig } }, { namespace }),
      unit,
      manifest(
        'Secret',
        `${name}-runner`,
        { type: runnerSecretType, stringData: { 'public-key': publicKey } },
        { namespace },
      ),
    ]
    for (const { collection, object } of objects) {
      const { status, body } = await as.request('POST', collection, object)
      assert.equal(status, 201, JSON.stringify(body))
    }
    const cluster = `${namespace}/${name}`
    const send = (verb: string, content: object): Promise<ApiResponse> => {
      const [path, body] = [`${runnerPath}${verb}`, JSON.stringify(content)]
      const authorization = signRequest({ cluster, path, body, now: Date.now() }, key)
      return mallory.request('POST', path, body, { authorization })
    }
    return {
      ...{ cluster, key, send, unit: unit.path },
      sync: async () => {
        const { status, body } = await send('sync', {})
        assert.equal(status, 200, JSON.stringify(body))
        return body as SyncResponse
      },
      about: async () => {
        const { uid, resourceVersion } = (await objectAt(admin, unit.path)).metadata
        const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace, name }
        return { ref, uid: uid!, resourceVersion: resourceVersion! }
      },
    }
  }
  return { victim: await join(admin, 'victim'), own: await join(mallory, 'mallory') }
}

export const objectAt = async (client: ApiClient, path: string): Promise<KubernetesObject & { status?: unknown }> => {
  const { status, body } = await client.request('GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  return body as KubernetesObject
}
