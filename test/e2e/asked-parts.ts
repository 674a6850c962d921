import assert from 'node:assert/strict'
import type { Receiver } from '../../lib/foundations/kinds/receiver.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { pushReceiver } from '../bed/fleet-objects.ts'
import type { GitRepo } from '../bed/git-repo.ts'
import type { Hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { postPush } from '../bed/webhook-burst.ts'

/** Who asks for changes: a forge that announces pushes, and people on call; and how `keelson runs` tells of them. */

const secret = 'a-shared-secret'
const followed = '{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, name: app}'

/** The Receiver of `pushAs`, for the GitRepository `app`, and the rights of the users jane and omar over Kustomizations, their windows included. */
export const askers = `${pushReceiver(followed, secret)}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: on-call}
rules:
  - {apiGroups: [kustomize.toolkit.fluxcd.io], resources: [kustomizations], verbs: [get, list, patch, delete, override]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: on-call, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: on-call}
subjects:
  - {apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}
  - {apiGroup: rbac.authorization.k8s.io, kind: User, name: omar}
---`

/** Pushes a commit that the forge announces with who pushed it. Resolves to the commit's hash. */
export const pushAs = async (
  login: string,
  files: Readonly<Record<string, string>>,
  repo: GitRepo,
  on: Hub,
): Promise<string> => {
  const path = await eventually(async () => {
    const { status } = await on.get<Receiver>('receiver', 'github')
    assert.ok(status?.webhookPath)
    return status.webhookPath
  })
  const commit = await repo.push(files)
  const push = { ref: 'refs/heads/main', sender: { login }, repository: { clone_url: repo.url } }
  assert.equal(await postPush(`${on.edge}${path}`, push, secret), 200)
  return commit
}

/** What `keelson runs` answers about the time from a moment until now; `more` are further flags. */
export const runsSince = async (on: Hub, since: Date, ...more: readonly string[]): Promise<readonly Run[]> => {
  const times = ['--since', since.toISOString(), '--until', new Date().toISOString()]
  const called = [program, 'runs', '-A', ...times, ...more, '-o', 'json', '--kubeconfig', on.kubeconfig]
  const { exitCode, stdout, stderr } = await ending(process.execPath, called)
  assert.equal(exitCode, 0, stderr)
  return JSON.parse(stdout)
}

/** The one Run of that time, when it has ended. */
export const onlyRunSince = (...asked: Parameters<typeof runsSince>): Promise<Run> =>
  eventually(async () => {
    const found = await runsSince(...asked)
    assert.equal(found.length, 1, JSON.stringify(found))
    assert.ok(found[0]!.finishedAt)
    return found[0]!
  })

/** The changed objects of a Run, each with its fields as `path: before -> after`. */
export const changesOf = ({ changes = [] }: Run): readonly (readonly string[])[] =>
  changes.map(({ name, fields = [] }) => [
    name,
    ...fields.map(({ path, before, after }) => `${path}: ${before} -> ${after}`),
  ])

/** A Deny window that lasts the whole year. */
export const yearLong = { action: 'Deny', schedule: '0 0 1 1 *', duration: '8783h' }

/** An hour from now, as the annotation of an override has it. */
export const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z/, 'Z')
