/** What a worker of an embedded hub runs: builds, substitution and templates that would block the main thread for too long. */
import { serveTasks } from '../platform/adapters/embedded/serve-tasks.ts'
import { heavyTasks } from '../reconcile/heavy-work/tasks.ts'
import { certifier } from './certifier.ts'

serveTasks(heavyTasks({ random: Math.random, certifier }))
