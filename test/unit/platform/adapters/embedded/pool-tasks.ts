/** What the workers of worker-pool.test.ts can do. */

import { readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { threadId } from 'node:worker_threads'
import { Budget } from '../../../../../lib/foundations/budget/budget.ts'
import { serveTasks } from '../../../../../lib/platform/adapters/embedded/serve-tasks.ts'

serveTasks({
  double: (input: number) => input * 2,
  read: (path: string, { callSync }) => Buffer.from(callSync('read', path) as Uint8Array).toString(),
  readAll: (paths: readonly string[], { callSync }) =>
    paths.map(path => Buffer.from(callSync('read', path) as Uint8Array).toString()),
  fetch: async (urls: readonly string[], { callAsync }) => Promise.all(urls.map(url => callAsync('fetch', url))),
  fail: (kind: string) => {
    if (kind === 'mistake') throw new TypeError('a mistake')
    if (kind === 'budget') new Budget({ steps: 1 }).spend('steps', 2, 'here')
    throw new Error('failed')
  },
  spin: () => {
    for (;;);
  },
  hoard: () => {
    const hoard: string[][] = []
    for (;;) hoard.push(Array.from({ length: 10_000 }, (_, i) => `${i}`))
  },
  /** Fills so many megabytes of the heap for a moment, and tells which thread it was. */
  fill: (megabytes: number) => {
    const filled = Array.from({ length: megabytes }, () => new Array(131_072).fill(0.5))
    return filled.length > 0 ? threadId : undefined
  },
  priority: () => getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))),
  exit: () => process.exit(3),
  environment: () => Object.keys(process.env),
})
