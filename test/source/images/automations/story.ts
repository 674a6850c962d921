import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { TreeChange } from '../../../bed/fast-import.ts'
import { git } from '../../../bed/git.ts'
import type { GitRepo, PushOptions } from '../../../bed/git-repo.ts'

/** A step of a story of an ImageUpdateAutomation. What it names happens in this order. */
export interface Step {
  /** Settings of the repository on the server, by name. */
  readonly config?: Readonly<Record<string, string>>
  /** A shell script that decides whether a push is accepted. */
  readonly preReceive?: string
  readonly commits?: readonly (PushOptions & { readonly files: TreeChange })[]
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The spec of GitRepository `app`, over that of the repository on the server; null deletes the object. */
  readonly source?: object | null
  /** What policies have chosen: a tag, more, or nothing yet (`{}`); null deletes the policy. */
  readonly policies?: Readonly<Record<string, string | Choice | null>>
  /** The spec of ImageUpdateAutomation `auto`, over a simple one; null leaves a field out. */
  readonly automation?: object
  /** The automation is asked for a run. */
  readonly request?: true
}

interface Choice {
  readonly latestRef?: { readonly name: string; readonly tag: string; readonly digest?: string }
  readonly labels?: Readonly<Record<string, string>>
}

/** What the player of a story talks to: a cluster with image-automation-controller, or a hub. */
export interface AutomationBed {
  readonly namespace: string
  readonly repo: GitRepo
  apply(object: StoryObject): Promise<void>
  setStatus(kind: string, name: string, status: object): Promise<void>
  request(kind: string, name: string): Promise<void>
  remove(kind: string, name: string): Promise<void>
  /** Until nothing happens any more. */
  settle(): Promise<void>
  automation(): Promise<{ readonly status?: Readonly<Record<string, unknown>> } | undefined>
  events(): Promise<readonly SeenEvent[]>
}

export interface StoryObject extends KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec?: object
  readonly stringData?: object
}

interface SeenEvent {
  readonly involvedObject: { readonly kind?: string }
  readonly type?: string
  readonly reason?: string
  readonly message?: string
}

export interface Seen {
  readonly conditions: readonly string[]
  readonly status: Readonly<Record<string, unknown>>
  readonly events: readonly string[]
  /** Commits of each branch, the first one first. */
  readonly branches: Readonly<Record<string, readonly SeenCommit[]>>
  /** Files of each branch that its commits have changed. */
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>
}

interface SeenCommit {
  readonly id: string
  readonly parents: string
  /** The id of the tree: equal bytes, names and modes have equal ids. */
  readonly tree: string
  readonly author: string
  readonly committer: string
  readonly message: string
  readonly signature: string
}

export const image = 'registry.story/org/app'
const group = 'image.toolkit.fluxcd.io'

/** Plays a story, and says what was seen after each step. */
export const playStory = async (steps: readonly Step[], bed: AutomationBed): Promise<readonly Seen[]> => {
  const seen: Seen[] = []
  for (const step of steps) {
    await playStep(inNamespace(step, bed.namespace), bed)
    await bed.settle()
    seen.push(await look(bed))
  }
  return seen
}

/** Markers name the namespace of the policy. */
const inNamespace = (step: Step, namespace: string): Step =>
  JSON.parse(JSON.stringify(step).replaceAll('story:', `${namespace}:`))

const playStep = async (step: Step, bed: AutomationBed): Promise<void> => {
  const { namespace, repo } = bed
  for (const [name, value] of Object.entries(step.config ?? {})) await repo.git('config', name, value)
  if (step.preReceive !== undefined) await writeHook(repo, step.preReceive)
  for (const { files, ...options } of step.commits ?? []) await repo.push(files, options)
  for (const [name, stringData] of Object.entries(step.secrets ?? {}))
    await bed.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData })
  if (step.source === null) await bed.remove('GitRepository', 'app')
  else if (step.source)
    await bed.apply({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      metadata: { name: 'app', namespace },
      spec: { url: repo.url, ref: { branch: 'main' }, interval: '10h', ...step.source },
    })
  for (const [name, choice] of Object.entries(step.policies ?? {})) await choose(bed, name, choice)
  if (step.automation)
    await bed.apply({
      apiVersion: `${group}/v1`,
      kind: 'ImageUpdateAutomation',
      metadata: { name: 'auto', namespace },
      spec: withoutNulls({
        sourceRef: { kind: 'GitRepository', name: 'app' },
        interval: '10h',
        git: { commit: { author: { name: 'Fluxbot', email: 'flux@example.com' } } },
        ...step.automation,
      }),
    })
  if (step.request) await bed.request('ImageUpdateAutomation', 'auto')
}

const withoutNulls = (spec: object): object =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null))

const choose = async (bed: AutomationBed, name: string, choice: string | Choice | null): Promise<void> => {
  if (choice === null) return bed.remove('ImagePolicy', name)
  const { latestRef, labels }: Choice =
    typeof choice === 'string' ? { latestRef: { name: image, tag: choice } } : choice
  await bed.apply({
    apiVersion: `${group}/v1`,
    kind: 'ImagePolicy',
    metadata: { name, namespace: bed.namespace, ...(labels && { labels }) },
    spec: { imageRepositoryRef: { name: 'none' }, policy: { alphabetical: {} }, suspend: true },
  })
  if (latestRef) await bed.setStatus('ImagePolicy', name, { latestRef })
}

const writeHook = async ({ dir }: GitRepo, script: string): Promise<void> => {
  const { writeFile } = await import('node:fs/promises')
  await writeFile(`${dir}/hooks/pre-receive`, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

const look = async (bed: AutomationBed): Promise<Seen> => {
  const { repo } = bed
  const branches = (await repo.git('for-each-ref', '--format=%(refname:short)', 'refs/heads')).split('\n')
  const logs = await Promise.all(branches.map(async branch => ({ branch, log: await logOf(repo, branch) })))
  const names = logs.flatMap(({ branch, log }) => [
    ...log.map(({ id }) => id),
    ...ownFiles(log).map(file => `${branch}:${file}`),
  ])
  const content = await contentsOf(repo, [...new Set(names)])
  const {
    conditions = [],
    lastAutomationRunTime: _,
    lastPushTime: __,
    lastHandledReconcileAt: ___,
    ...status
  } = (await bed.automation())?.status ?? {}
  const seen: Seen = {
    conditions: (conditions as readonly Condition[])
      .map(({ type, status: value, reason, message }) => `${type}=${value} ${reason}: ${message}`)
      .sort(),
    status,
    events: [
      ...new Set(
        (await bed.events())
          .filter(({ involvedObject, message }) => involvedObject.kind === 'ImageUpdateAutomation' && !isQuiet(message))
          .map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
      ),
    ],
    branches: Object.fromEntries(
      logs.map(({ branch, log }) => [
        branch,
        log.map(({ files: _, ...commit }) => ({ ...commit, signature: signatureIn(content.get(commit.id)!) })),
      ]),
    ),
    files: Object.fromEntries(
      logs.map(({ branch, log }) => [
        branch,
        Object.fromEntries(ownFiles(log).map(file => [file, content.get(`${branch}:${file}`)!.replace(/\n$/, '')])),
      ]),
    ),
  }
  return named(seen, bed, new Set(logs.flatMap(({ log }) => log.map(({ id }) => id))))
}

type Condition = Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>

/** Whether such a run comes is chance. */
const isQuiet = (message = ''): boolean => message === 'no change since last reconciliation'

interface LoggedCommit extends Omit<SeenCommit, 'signature'> {
  /** That it changes. */
  readonly files: readonly string[]
}

const [between, end] = ['\u0001', '\u0002']

/** The commits of a branch, the first one first. */
const logOf = async (repo: GitRepo, branch: string): Promise<readonly LoggedCommit[]> => {
  const format = `${end}${['%H', '%P', '%T', '%an <%ae>', '%cn <%ce>', '%B', ''].join(between)}`
  const log = await repo.git('log', '--reverse', '--name-only', `--format=${format}`, branch)
  return log
    .split(end)
    .slice(1)
    .map(text => {
      const [id = '', parents = '', tree = '', author = '', committer = '', message = '', files = ''] =
        text.split(between)
      return { id, parents, tree, author, committer, message: message.trim(), files: files.split('\n').filter(Boolean) }
    })
}

/** Files that commits of automations change. */
const ownFiles = (log: readonly LoggedCommit[]): readonly string[] => [
  ...new Set(log.flatMap(({ author, files }) => (author.includes('example.com') ? files : []))),
]

const signatureIn = (commit: string): string => /^gpgsig -----BEGIN (\w+) SIGNATURE-----$/m.exec(commit)?.[1] ?? ''

/** What git objects hold, by name, from one process. */
const contentsOf = async ({ dir }: GitRepo, names: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const all = Buffer.from(await git(['cat-file', '--batch'], { cwd: dir, input: names.join('\n') }))
  let at = 0
  return new Map(
    names.map(name => {
      const start = all.indexOf('\n', at) + 1
      const size = Number(all.toString('utf8', at, start).split(' ')[2])
      at = start + size + 1
      return [name, all.toString('utf8', start, start + size)]
    }),
  )
}

/** Commits and places by names of the story. */
const named = (seen: Seen, { namespace, repo }: AutomationBed, ids: ReadonlySet<string>): Seen => {
  let text = JSON.stringify(seen)
  for (const [at, id] of [...ids].entries())
    text = text.replaceAll(id, `<commit ${at + 1}>`).replaceAll(`'${id.slice(0, 7)}'`, `'<commit ${at + 1}>'`)
  const places = text.replaceAll(repo.url, 'http://git.story/repo.git').replaceAll(namespace, 'story')
  // Texts name folders of the controller on its disk.
  const texts = places
    .replaceAll(/\/tmp\/story-app\d+\/?/g, '')
    .replaceAll(/commit '[0-9a-f]{7}'/g, "commit '<replaced>'")
  const { events, ...rest } = JSON.parse(texts) as Seen
  return { ...rest, events: [...new Set(events)].sort() }
}
