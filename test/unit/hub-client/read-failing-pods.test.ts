/** What is read of a unit's pods, and what becomes of what the hub or the cluster refuses: faults that no cluster of the tests has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure, type HubReader } from '../../../lib/hub-client/hub-api.ts'
import { readFailingPods } from '../../../lib/hub-client/read-failing-pods.ts'
import { objectOf } from '../foundations/fleet/fleet-parts.ts'

const owner = 'default_web_apps_Deployment'

/** A hub with six pods that restart again and again. */
const hubWith = (responses: Readonly<Record<string, object>>) => {
  const paths: string[] = []
  const pods = [1, 2, 3, 4, 5, 6].map(at => ({ owner, namespace: 'default', name: `web-${at}`, state: 'failed' }))
  const restarting = {
    ...{ name: 'web', restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } },
    lastState: { terminated: { exitCode: 1 } },
  }
  const event = (at: number, reason: string, type = 'Warning') => ({
    ...{ type, reason, message: `at ${at}`, lastTimestamp: null, eventTime: `2026-11-29T22:00:0${at}.000000Z` },
    metadata: {},
  })
  const usual: Readonly<Record<string, object>> = {
    '/fleet/live': { objects: [], pods, more: 2, refused: ['jobs.batch is forbidden'], as: 'jane' },
    '/fleet/live/object': {
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [] },
      status: { phase: 'Running', containerStatuses: [restarting] },
    },
    '/fleet/live/events': {
      items: [event(3, 'Unhealthy'), event(1, 'Unhealthy'), event(2, 'BackOff'), event(4, 'Pulled', 'Normal')],
    },
    '/fleet/live/log': { text: 'it begins\nno database\n\n' },
  }
  const get = async (path: string): Promise<unknown> => {
    paths.push(path)
    const { pathname } = new URL(path, 'https://hub')
    const response = responses[pathname] ?? usual[pathname]
    if (response instanceof Error) throw response
    return response
  }
  const api = { get } as HubReader
  const { signal } = new AbortController()
  return { paths, read: () => readFailingPods({ api, unit: objectOf('Kustomization', 'web'), tailLines: 30, signal }) }
}

test('of each of the first pods, the log of the run that failed and the latest warning of each reason', async () => {
  const { paths, read } = hubWith({})
  const { pods, ...others } = await read()
  assert.deepEqual(others, {
    ...{ as: 'jane', total: 6, unready: 6, unreadObjects: 2 },
    refused: ['jobs.batch is forbidden'],
  })
  assert.deepEqual(pods.length, 5)
  assert.deepEqual(pods[0], {
    ...{ pod: 'Pod/default/web-1', owner: 'Deployment/default/web' },
    ...{ message: 'web: CrashLoopBackOff', restarts: 3, warnings: ['Unhealthy: at 3'] },
    containers: [
      {
        ...{ name: 'web', isInit: false, message: 'exited with 1, and waits: CrashLoopBackOff', runs: ['previous'] },
        logs: [{ run: 'previous', lines: ['it begins', 'no database'] }],
      },
    ],
  })
  const log = paths.find(path => path.startsWith('/fleet/live/log'))
  assert.equal(new URL(log!, 'https://hub').searchParams.get('previous'), 'true')
  assert.equal(new URL(log!, 'https://hub').searchParams.get('tailLines'), '30')
})

test('a pod that is gone, a log and events that are refused take nothing from the rest', async () => {
  const gone = await hubWith({ '/fleet/live/object': new ApiFailure(404, 'Pod "web" not found') }).read()
  assert.deepEqual(gone.pods[4], {
    ...{ pod: 'Pod/default/web-5', owner: 'Deployment/default/web', refused: 'Pod "web" not found' },
  })
  const refused = hubWith({
    '/fleet/live/log': new ApiFailure(403, 'cannot get resource "pods/log"'),
    '/fleet/live/events': new ApiFailure(403, 'cannot list resource "events"'),
  })
  const [pod] = (await refused.read()).pods
  assert.ok(pod && 'containers' in pod)
  assert.deepEqual(pod.warnings, ['cannot list resource "events"'])
  assert.deepEqual(pod.containers[0]!.logs, [{ run: 'previous', refused: 'cannot get resource "pods/log"' }])
})

test('a hub that shows nothing of the cluster, or fails, is no pod that fails', async () => {
  for (const failure of [new ApiFailure(409, 'its owner has not started it with --live'), new Error('no connection')]) {
    await assert.rejects(hubWith({ '/fleet/live': failure }).read(), failure)
  }
  await assert.rejects(hubWith({ '/fleet/live/log': new Error('no connection') }).read(), /no connection/)
})
