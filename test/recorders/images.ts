/**
 * KUBECONFIG=... node test/recorders/images.ts PROGRAM: plays the stories of test/source/images to image-reflector-controller, whose path
 * PROGRAM is, on a cluster with the definitions of test/unit/foundations/kinds/crds, and writes down what it does.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { pushImage } from '../bed/push-image.ts'
import { registryServer } from '../bed/registry-server.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import {
  isEventSeen,
  namespace,
  registry,
  type Seen,
  type Step,
  statusSeen,
  stories,
} from '../source/images/stories.ts'
import { kubeApiserver } from './kube-apiserver.ts'

const quietMs = 8_000
const scanMs = 3_000
const group = '/apis/image.toolkit.fluxcd.io/v1'
const pluralOf = (kind: string) => (kind === 'ImagePolicy' ? 'imagepolicies' : 'imagerepositories')
const ask = kubeApiserver()
await using server = await registryServer()
await using storage = disposableDir()
const flags = ['--metrics-addr=:0', '--health-addr=:0', `--storage-path=${storage.path}`, '--log-level=error']
const program = spawn(process.argv[2]!, flags, {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, RUNTIME_NAMESPACE: 'default' },
})

const must = async (...request: Parameters<typeof ask>) => {
  const { code, body } = await ask(...request)
  if (code >= 300) throw new Error(`${request[0]} ${request[1]}: ${body.message}`)
  return body
}

const play = async (own: string, steps: readonly Step[]): Promise<readonly Seen[]> => {
  const beside = `${own}-team`
  for (const [name, labels] of Object.entries({ [own]: {}, [beside]: { tenant: 'team' } }))
    await must('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })
  const asReal = (value: object) =>
    JSON.parse(JSON.stringify(value).replaceAll(registry, server.host).replaceAll(namespace, own))
  const asRecorded = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replaceAll(server.host, registry).replaceAll(own, namespace))
  const listed = async () => {
    const all = [own, beside].flatMap(place =>
      ['ImageRepository', 'ImagePolicy'].map(async kind =>
        (await must('GET', `${group}/namespaces/${place}/${pluralOf(kind)}`)).items.map((item: object) => ({
          kind,
          ...item,
        })),
      ),
    )
    return (await Promise.all(all)).flat()
  }
  const seen: Seen[] = []
  for (const { push = {}, create = [], apply = [], request = [] } of steps) {
    for (const [repository, tags] of Object.entries(push))
      await pushImage({ layers: [] }, { origin: server.directOrigin, repository: `${own}/${repository}`, tags })
    for (const { kind, name, rest } of create)
      await must('POST', `/api/v1/namespaces/${own}/${pluralOfCore[kind]}`, {
        ...{ apiVersion: 'v1', kind, metadata: { name } },
        ...rest,
      })
    for (const [at, { kind, name, spec, elsewhere }] of apply.entries()) {
      // Policies that are faster than the first scan would wait for it, as chance has it.
      if (kind === 'ImagePolicy' && apply[at - 1]?.kind === 'ImageRepository') await sleep(scanMs)
      const place = elsewhere ? beside : own
      const object = {
        apiVersion: 'image.toolkit.fluxcd.io/v1',
        kind,
        metadata: { name, namespace: place },
        spec: asReal(spec),
      }
      const path = `${group}/namespaces/${place}/${pluralOf(kind)}/${name}?fieldManager=author&force=true`
      await must('PATCH', path, JSON.stringify(withRepository(object, own)), {
        'content-type': 'application/apply-patch+yaml',
      })
    }
    for (const [kind, name] of request)
      await must(
        'PATCH',
        `${group}/namespaces/${own}/${pluralOf(kind)}/${name}`,
        JSON.stringify({ metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': String(Date.now()) } } }),
        { 'content-type': 'application/merge-patch+json' },
      )
    let before = ''
    for (let text = 'x'; text !== before; ) {
      before = text
      await sleep(quietMs)
      text = JSON.stringify((await listed()).map(({ status }: { status?: object }) => statusSeen(status as never)))
    }
    const events = (
      await Promise.all([own, beside].map(place => must('GET', `/api/v1/namespaces/${place}/events`)))
    ).flatMap(({ items }) => items)
    const objects = (await listed()).map(({ kind, metadata, status }: Listed) => [
      `${kind}/${metadata.name}`,
      statusSeen(status),
    ])
    seen.push(
      asRecorded({
        objects: Object.fromEntries(objects),
        events: [
          ...new Set(
            events
              .filter(({ message }) => isEventSeen(message))
              .map(
                ({ involvedObject, type, reason, message }) =>
                  `${involvedObject.kind}/${involvedObject.name} ${type} ${reason}: ${message}`,
              ),
          ),
        ].sort(),
      }),
    )
  }
  return seen
}

interface Listed {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly status?: Readonly<Record<string, unknown>>
}

const pluralOfCore = { Secret: 'secrets', ServiceAccount: 'serviceaccounts' }

/** Each story has repositories of its own in the registry. */
const withRepository = (object: { readonly spec: { image?: string } }, own: string) => {
  const { image } = object.spec
  const real = image?.replace(`${server.host}/`, `${server.host}/${own}/`)
  return real === undefined ? object : { ...object, spec: { ...object.spec, image: real } }
}

const entries = await Promise.all(
  Object.entries(stories).map(
    async ([title, steps], at) => [title, await play(`story-${process.pid}-${at}`, steps)] as const,
  ),
)
const text = JSON.stringify(Object.fromEntries(entries), null, 1)
  .replaceAll(`${registry}/${namespace}/`, `${registry}/`)
  .replaceAll(`/v2/${namespace}/`, '/v2/')
  .replaceAll(`map[name:${namespace}/`, 'map[name:')
writeFileSync(new URL('../source/images/stories.recorded.json', import.meta.url), `${text}\n`)
program.kill()
await once(program, 'exit')
await ask.close()
