/** What a worker of an embedded hub runs: builds, substitution and templates that are too much for the thread that serves everyone. */
import { randomBytes } from 'node:crypto'
import { newKey } from '../engines/template/certificates/private-key.ts'
import { serveTasks } from '../platform/adapters/embedded/serve-tasks.ts'
import { heavyTasks } from '../reconcile/heavy-work/tasks.ts'

serveTasks(heavyTasks({ random: Math.random, certifier: { now: Date.now, bytes: randomBytes, newKey } }))
