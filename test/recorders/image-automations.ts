/**
 * node test/recorders/image-automations.ts PROGRAM [REGEX]: plays the stories of test/source/images/automations to image-automation-controller,
 * whose path PROGRAM is, on a cluster of its own, and writes down what it does. REGEX chooses stories by their titles.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'
import { startCluster } from '../bed/cluster.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { allStories } from '../source/images/automations/gate-stories.ts'
import { namespaceOf } from '../source/images/automations/stories.ts'
import { type AutomationBed, playStory, type Step } from '../source/images/automations/story.ts'
import { kubeApiserver } from './kube-apiserver.ts'

const [program = '', chosen = ''] = process.argv.slice(2)
const quietMs = 5_000
const recordings = new URL('../source/images/automations/stories.recorded.json', import.meta.url)
const definitions = [
  'test/unit/foundations/kinds/crds/image.toolkit.fluxcd.io_imagepolicies.yaml',
  'test/unit/foundations/kinds/crds/image.toolkit.fluxcd.io_imageupdateautomations.yaml',
  join(
    process.env.KEELSON_CONFORMANCE ?? '../shared/conformance',
    'crds/source.toolkit.fluxcd.io_gitrepositories.yaml',
  ),
]

await using cluster = await startCluster()
const ask = kubeApiserver(cluster.certificateKubeconfig)
const must = async (...request: Parameters<typeof ask>) => {
  const { code, body } = await ask(...request)
  if (code >= 300) throw new Error(`${request[0]} ${request[1]}: ${body.message}`)
  return body
}

for (const file of definitions) {
  const definition = parse(readFileSync(file, 'utf8'))
  await must('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
}
const served = async (path: string) => (await ask('GET', path)).code === 200
const groups = {
  image: '/apis/image.toolkit.fluxcd.io/v1',
  source: '/apis/source.toolkit.fluxcd.io/v1',
}
while (!(await served(`${groups.image}/imageupdateautomations`)) || !(await served(`${groups.source}/gitrepositories`)))
  await sleep(200)

await using home = disposableDir()
const flags = ['--metrics-addr=127.0.0.1:0', '--health-addr=127.0.0.1:0', '--log-level=error', '--concurrent=4']
const startController = (gates: string) =>
  spawn(program, [...flags, ...(gates ? [`--feature-gates=${gates}`] : [])], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: home.path, KUBECONFIG: cluster.kubeconfig, RUNTIME_NAMESPACE: 'default' },
  })

const pathOf = (namespace: string, kind: string, name: string): string => {
  if (kind === 'Secret') return `/api/v1/namespaces/${namespace}/secrets/${name}`
  if (kind === 'GitRepository') return `${groups.source}/namespaces/${namespace}/gitrepositories/${name}`
  const plural = kind === 'ImagePolicy' ? 'imagepolicies' : 'imageupdateautomations'
  return `${groups.image}/namespaces/${namespace}/${plural}/${name}`
}
const merge = { 'content-type': 'application/merge-patch+json' }
const serverSideApply = { 'content-type': 'application/apply-patch+yaml' }

const play = async (steps: readonly Step[], namespace: string) => {
  await using repo = await startGitRepo()
  await must('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const path = (kind: string, name: string) => pathOf(namespace, kind, name)
  const automation = async () => {
    const { code, body } = await ask('GET', path('ImageUpdateAutomation', 'auto'))
    return code === 200 ? body : undefined
  }
  const bed: AutomationBed = {
    namespace,
    repo,
    automation,
    apply: object =>
      must(
        'PATCH',
        `${path(object.kind, object.metadata.name)}?fieldManager=author&force=true`,
        JSON.stringify(object),
        serverSideApply,
      ),
    setStatus: (kind, name, status) => must('PATCH', `${path(kind, name)}/status`, JSON.stringify({ status }), merge),
    request: (kind, name) => {
      const annotations = { 'reconcile.fluxcd.io/requestedAt': String(Date.now()) }
      return must('PATCH', path(kind, name), JSON.stringify({ metadata: { annotations } }), merge)
    },
    remove: (kind, name) => must('DELETE', path(kind, name)),
    settle: async () => {
      let before = ''
      for (let text = 'x'; text !== before; ) {
        before = text
        await sleep(quietMs)
        const { lastAutomationRunTime: _, ...status } = (await automation())?.status ?? {}
        text = JSON.stringify(status)
      }
    },
    events: async () => (await must('GET', `/api/v1/namespaces/${namespace}/events`)).items,
  }
  const seen = await playStory(steps, bed)
  // The next controller, with other gates, does not find it.
  await ask('DELETE', path('ImageUpdateAutomation', 'auto'))
  while (await automation()) await sleep(200)
  return seen
}

const all = allStories.filter(({ title }) => new RegExp(chosen).test(title))
const recorded = chosen && existsSync(recordings) ? JSON.parse(readFileSync(recordings, 'utf8')) : {}
try {
  for (const [gates, group] of Map.groupBy(all, story => story.gates)) {
    const waiting = group.values()
    const worker = async () => {
      for (const { title, steps } of waiting) {
        recorded[title] = await play(steps, namespaceOf(title))
        console.log(title)
      }
    }
    const controller = startController(gates)
    try {
      await Promise.all([worker(), worker(), worker(), worker()])
    } finally {
      controller.kill()
      await once(controller, 'exit')
    }
  }
  const sorted = allStories.flatMap(({ title }) => (recorded[title] ? [[title, recorded[title]]] : []))
  writeFileSync(recordings, `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`)
} finally {
  await ask.close()
}
