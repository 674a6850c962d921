/** Tags of OCI registries as inputs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JsonReply, jsonServer } from '../../../bed/json-server.ts'
import { onStage } from '../resource-set/scene.ts'
import { conditions, exported, idOf, ready } from './provider-scene.ts'

const digestOf = (tag: string) => `sha256:${tag.replace(/\D/g, '').padEnd(64, '0')}`

/** A registry with these tags, which asks for a password if one is given. */
const registry = (tags: readonly string[], password?: string) =>
  jsonServer(({ path, headers }): JsonReply | undefined => {
    const [, known] = Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64')
      .toString()
      .split(':')
    if (password !== undefined && known !== password)
      return { status: 401, headers: { 'www-authenticate': 'Basic realm="registry"' }, json: {} }
    if (path === '/v2/' || path === '/v2') return { json: {} }
    if (path === '/v2/acme/app/tags/list') return { json: { name: 'acme/app', tags } }
    const tag = path.match(/^\/v2\/acme\/app\/manifests\/(.+)$/)?.[1]
    if (!tag) return undefined
    const manifest = 'application/vnd.oci.image.manifest.v1+json'
    return { headers: { 'docker-content-digest': digestOf(tag), 'content-type': manifest }, text: '{}' }
  })

const tagged = (tag: string) => ({ id: idOf(tag), tag, digest: digestOf(tag) })

test('RS-140 tags of a registry are exported with their digests, the newest of a range first', async () => {
  const server = await registry(['1.0.0', 'latest', '1.2.0', '1.1.0', '2.0.0'])
  const url = `${server.url.replace('http', 'oci')}/acme/app`
  await onStage({}, async scene => {
    const filter = { semver: '1.x', limit: 2 }
    await scene.provide('p', { type: 'OCIArtifactTag', url, insecure: true, filter, defaultValues: { team: 'x' } })
    assert.deepEqual(await exported(scene), [
      { ...tagged('1.2.0'), team: 'x' },
      { ...tagged('1.1.0'), team: 'x' },
    ])
    assert.deepEqual(await conditions(scene), [ready])
  })
})

for (const [type, cloud] of [
  ['ECRArtifactTag', 'aws'],
  ['ACRArtifactTag', 'azure'],
  ['GARArtifactTag', 'gcp'],
] as const)
  test(`RS-140 ${type} logs in as the identity of the platform`, async () => {
    const server = await registry(['1.0.0'], 'of the cloud')
    const host = server.url.replace('http://', '')
    const asked: string[] = []
    const cloudLogin = async (provider: string, registry: string) => {
      asked.push(`${provider} ${registry}`)
      return { username: 'someone', password: 'of the cloud' }
    }
    await onStage({ cloudLogin, plainRegistries: true }, async scene => {
      await scene.provide('p', { type, url: `oci://${host}/acme/app` })
      assert.deepEqual(await exported(scene), [tagged('1.0.0')])
      assert.deepEqual(asked, [`${cloud} ${host}`])
    })
  })

test('RS-140 the Secret of a registry gives the password', async () => {
  const server = await registry(['1.0.0'], 'of the Secret')
  const host = server.url.replace('http://', '')
  await onStage({}, async scene => {
    const config = { auths: { [host]: { username: 'someone', password: 'of the Secret' } } }
    await scene.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'pull', namespace: 'default' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(JSON.stringify(config)).toString('base64') },
    })
    const url = `oci://${host}/acme/app`
    await scene.provide('p', { type: 'OCIArtifactTag', url, insecure: true, secretRef: { name: 'pull' } })
    assert.deepEqual(await exported(scene), [tagged('1.0.0')])
  })
})
