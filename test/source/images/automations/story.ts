import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { TreeChange } from '../../../bed/fast-import.ts'
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
  const logs = await Promise.all(branches.map(async name => [name, await commitsOf(repo, name)] as const))
  const files = await Promise.all(branches.map(async name => [name, await changedFiles(repo, name)] as const))
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
    branches: Object.fromEntries(logs),
    files: Object.fromEntries(files),
  }
  return named(seen, bed, new Set(logs.flatMap(([, commits]) => commits.map(({ id }) => id))))
}

type Condition = Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>

/** Whether such a run comes is chance. */
const isQuiet = (message = ''): boolean => message === 'no change since last reconciliation'

const [between, end] = ['\u0001', '\u0002']

const commitsOf = async (repo: GitRepo, branch: string): Promise<readonly SeenCommit[]> => {
  const format = `${['%H', '%P', '%T', '%an <%ae>', '%cn <%ce>', '%B'].join(between)}${end}`
  const log = await repo.git('log', '--reverse', `--format=${format}`, branch)
  const commits = log.split(end).flatMap(text => (text.trim() ? [text.trim().split(between)] : []))
  return Promise.all(
    commits.map(async ([id = '', parents = '', tree = '', author = '', committer = '', message = '']) => {
      const raw = await repo.git('cat-file', 'commit', id)
      const [, signature = ''] = /^gpgsig -----BEGIN (\w+) SIGNATURE-----$/m.exec(raw) ?? []
      return { id, parents, tree, author, committer, message, signature }
    }),
  )
}

const changedFiles = async (repo: GitRepo, branch: string): Promise<Readonly<Record<string, string>>> => {
  const names = (await repo.git('log', '--format=', '--name-only', '--author=example.com', branch)).split('\n')
  const contents = [...new Set(names)]
    .filter(Boolean)
    .map(async name => [name, await repo.git('show', `${branch}:${name}`)])
  return Object.fromEntries(await Promise.all(contents))
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
