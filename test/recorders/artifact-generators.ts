/**
 * KUBECONFIG=... node test/recorders/artifact-generators.ts PROGRAM: plays the stories of test/source/artifact-generator to source-watcher,
 * whose path PROGRAM is, on a cluster with the definitions of Flux's sources and of test/unit/foundations/kinds/crds, and writes down what it
 * does. The sources are prepared objects, whose artifacts this program serves.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { archive } from '../../lib/sources/artifact/archive.ts'
import { freePort } from '../bed/free-ports.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { seenOf } from '../source/artifact-generator/seen.ts'
import { sourceSpecs } from '../source/artifact-generator/source-specs.ts'
import {
  namespace,
  type Push,
  type Seen,
  type Step,
  sourceAddress,
  stories,
  treeOf,
} from '../source/artifact-generator/stories.ts'
import { kubeApiserver } from './kube-apiserver.ts'

const quietMs = 6_000
const ask = kubeApiserver()
const must = async (...request: Parameters<typeof ask>) => {
  const { code, body } = await ask(...request)
  if (code >= 300) throw new Error(`${request[0]} ${request[1]}: ${body.message}`)
  return body
}
const groupOf = (kind: string) =>
  kind === 'ArtifactGenerator' ? 'source.extensions.fluxcd.io/v1beta1' : 'source.toolkit.fluxcd.io/v1'
const pluralOf = (kind: string) =>
  kind.endsWith('y') ? `${kind.toLowerCase().slice(0, -1)}ies` : `${kind.toLowerCase()}s`
const collection = (kind: string, place: string) => `/apis/${groupOf(kind)}/namespaces/${place}/${pluralOf(kind)}`
const applied = { 'content-type': 'application/apply-patch+yaml' }
const merged = { 'content-type': 'application/merge-patch+json' }

type Listed = Parameters<typeof seenOf>[0][number]

/** What is served, by path. */
const served = new Map<string, Uint8Array>()
const server = createServer((request, response) => {
  const content = served.get(request.url ?? '')
  response.writeHead(content ? 200 : 404).end(content)
})
server.listen(Number(new URL(sourceAddress).port), '127.0.0.1')
await once(server, 'listening')
await using storage = disposableDir()
const address = `127.0.0.1:${await freePort()}`
const flags = [
  '--metrics-addr=:0',
  '--health-addr=:0',
  '--log-level=error',
  '--requeue-dependency=2s',
  '--http-retry=1',
]
const program = spawn(
  process.argv[2]!,
  [...flags, `--storage-path=${storage.path}`, `--storage-addr=${address}`, `--storage-adv-addr=${address}`],
  { stdio: 'ignore', env: { ...process.env, RUNTIME_NAMESPACE: 'default' } },
)

const push = async (place: string, { name, kind, revision, files, metadata, isForged }: Push): Promise<void> => {
  const object = { apiVersion: groupOf(kind), kind, metadata: { name, namespace: place } }
  const path = `${collection(kind, place)}/${name}?fieldManager=author&force=true`
  await must('PATCH', path, JSON.stringify({ ...object, spec: sourceSpecs[kind] ?? {} }), applied)
  if (!files) return
  const { content, digest } = await archive(treeOf(files), () => false)
  const file = `/${name}/${digest}.tar.gz`
  served.set(file, content)
  const artifact = {
    ...{ path: file, url: `${sourceAddress}${file}`, revision, lastUpdateTime: '2026-01-01T00:00:00Z' },
    ...{ digest: isForged ? `sha256:${'0'.repeat(64)}` : digest, ...(metadata && { metadata }) },
  }
  await must('PATCH', `${collection(kind, place)}/${name}/status`, JSON.stringify({ status: { artifact } }), merged)
}

const play = async (place: string, steps: readonly Step[]): Promise<readonly Seen[]> => {
  await must('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: place } })
  const listed = async () =>
    (
      await Promise.all(
        ['ArtifactGenerator', 'ExternalArtifact'].map(async kind =>
          (await must('GET', collection(kind, place))).items.map((item: Listed) => ({ ...item, kind })),
        ),
      )
    ).flat()
  const digests = new Map<string, string>()
  const seen: Seen[] = []
  for (const { push: pushes = [], apply = [], request = [], remove = [] } of steps) {
    for (const one of pushes) await push(place, one)
    for (const { name, annotations, spec } of apply) {
      const object = {
        ...{ apiVersion: groupOf('ArtifactGenerator'), kind: 'ArtifactGenerator', spec },
        metadata: { name, namespace: place, ...(annotations && { annotations }) },
      }
      await must(
        'PATCH',
        `${collection(object.kind, place)}/${name}?fieldManager=author&force=true`,
        JSON.stringify(object),
        applied,
      )
    }
    for (const [kind, name] of remove) await must('DELETE', `${collection(kind, place)}/${name}`)
    for (const name of request) {
      const annotations = { 'reconcile.fluxcd.io/requestedAt': String(Date.now()) }
      await must(
        'PATCH',
        `${collection('ArtifactGenerator', place)}/${name}`,
        JSON.stringify({ metadata: { annotations } }),
        merged,
      )
    }
    let objects: Listed[] = []
    let before = ''
    for (let text = 'x'; text !== before || text.includes('"Progressing"'); ) {
      before = text
      await sleep(quietMs)
      objects = await listed()
      text = JSON.stringify(
        objects.map(({ status, metadata }) => [metadata.name, status]),
        withoutTime,
      )
    }
    const contents = new Map<string, Uint8Array>()
    for (const { kind, metadata, status } of objects) {
      const { url } = status?.artifact ?? {}
      if (kind !== 'ExternalArtifact' || !url) continue
      const response = await fetch(url)
      if (response.ok) contents.set(metadata.name, await response.bytes())
    }
    const { items: events } = await must('GET', `/api/v1/namespaces/${place}/events`)
    const found = seenOf(objects, events, contents, digests)
    seen.push(JSON.parse(JSON.stringify(found).replaceAll(place, namespace)))
  }
  return seen
}

const withoutTime = (key: string, value: unknown) => (key === 'lastTransitionTime' ? undefined : value)

const entries = await Promise.all(
  Object.entries(stories).map(
    async ([title, steps], at) => [title, await play(`story-${process.pid}-${at}`, steps)] as const,
  ),
)
const file = new URL('../source/artifact-generator/stories.recorded.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`)
program.kill()
await once(program, 'exit')
server.close()
await ask.close()
