import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { command } from '../../bed/command.ts'
import { helmBinary } from '../../bed/helm-binary.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { decodedRelease } from './release-storage.ts'
import { bytesOf, type Files } from './scenario.ts'
import type { World } from './world.ts'

interface HelmCall {
  readonly args: readonly string[]
  /** `CHART` among the arguments is a folder with these files. */
  readonly chart?: Files
  readonly namespace?: string
  readonly cluster?: 'hub' | 'target'
  readonly mayFail?: boolean
}

/** Runs the real helm on the cluster of a scenario. */
export const runHelm = async (world: World, { args, chart, namespace, mayFail }: HelmCall): Promise<void> => {
  await using directory = disposableDir()
  for (const [path, file] of Object.entries(chart ?? {})) {
    const place = join(directory.path, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, bytesOf(file))
  }
  const where = ['--kubeconfig', world.hubBed.cluster.kubeconfig, '--namespace', namespace ?? world.scenario.id]
  const given = args.map(arg => (arg === 'CHART' ? directory.path : arg))
  const running = command(await helmBinary(), [...given, ...where])
  await (mayFail ? running.catch(() => {}) : running)
}

interface Edit {
  readonly name: string
  readonly release: unknown
  readonly labels?: Readonly<Record<string, string>>
}

/** Merges into a stored release, and into the labels of its Secret. */
export const editRelease = async (world: World, { name, release, labels }: Edit): Promise<void> => {
  const cluster = world.real('hub')
  const ref = { group: '', kind: 'Secret', namespace: world.scenario.id, name }
  const secret = await cluster.get('v1', ref)
  if (!secret) throw new Error(`there is no Secret ${ref.namespace}/${name}`)
  const edited = gzipSync(JSON.stringify(merged(decodedRelease(secret), release))).toString('base64')
  const patch = { metadata: { labels }, data: { release: Buffer.from(edited).toString('base64') } }
  await cluster.patch('v1', ref, { type: 'merge', patch }, { fieldManager: 'recorder' })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const merged = (below: unknown, above: unknown): unknown =>
  isObject(below) && isObject(above)
    ? { ...below, ...Object.fromEntries(Object.entries(above).map(([key, value]) => [key, merged(below[key], value)])) }
    : above
