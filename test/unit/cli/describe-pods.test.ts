/** What `keelson why --logs` prints of pods. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describePods } from '../../../lib/cli/describe-pods.ts'
import type { FailingPods } from '../../../lib/hub-client/read-failing-pods.ts'

const nothing: FailingPods = { total: 0, unready: 0, pods: [], refused: [], unreadObjects: 0 }

test('pods, their warnings, their containers and their logs are below each other; what is left out is said', () => {
  const owner = 'Deployment/default/web'
  const container = { name: 'web', isInit: false }
  const text = describePods({
    ...{ as: 'jane', total: 9, unready: 7, unreadObjects: 4, refused: ['jobs.batch is forbidden'] },
    pods: [
      {
        ...{ pod: 'Pod/default/web-1', owner, message: 'web: CrashLoopBackOff', restarts: 7, warnings: [] },
        containers: [
          {
            ...container,
            message: 'exited with 1 (Error), and waits: CrashLoopBackOff',
            runs: ['previous'],
            logs: [{ run: 'previous', lines: ['\u001b[31mno database\u001b[0m', 'a\r\u0007b\tc'] }],
          },
        ],
      },
      {
        ...{ pod: 'Pod/default/web-2', owner, message: '', restarts: 1, warnings: ['Unhealthy: probe failed:\n503'] },
        containers: [
          {
            ...{
              name: 'migrate',
              isInit: true,
              message: 'runs; before, it exited with 2',
              runs: ['previous', 'current'],
            },
            logs: [
              { run: 'previous', refused: 'pods "web-2" is forbidden' },
              { run: 'current', lines: [] },
            ],
          },
        ],
      },
      {
        ...{ pod: 'Pod/default/once', owner: 'Pod/default/once', message: 'Unschedulable: no node', restarts: 0 },
        ...{ warnings: [], containers: [] },
      },
      { pod: 'Pod/default/web-3', owner, refused: 'Pod "web-3" not found on the cluster' },
    ],
  })
  assert.equal(
    text,
    `7 of 9 pods not ready, as jane sees its cluster:

Pod/default/web-1 of Deployment/default/web, 7 restarts
  container web exited with 1 (Error), and waits: CrashLoopBackOff
    | no database
    | a  b\tc

Pod/default/web-2 of Deployment/default/web, 1 restart
  Unhealthy: probe failed: 503
  init container migrate runs; before, it exited with 2
    before:
    no log: pods "web-2" is forbidden
    now:
    it has written nothing

Pod/default/once: Unschedulable: no node

Pod/default/web-3 of Deployment/default/web can't be read: Pod "web-3" not found on the cluster

... and 3 more that are not ready

Not shown: jobs.batch is forbidden
Not shown: the pods of 4 more objects
`,
  )
})

test('no pod, and none that is not ready', () => {
  assert.match(describePods(nothing), /^No pods: they are those of its Deployments, .* and Jobs\.\n$/)
  assert.equal(describePods({ ...nothing, total: 3 }), 'No pod is not ready, of 3.\n')
})
