/** What a worker of an embedded hub runs: builds, substitution and templates that are too much for the thread that serves everyone. */
import { serveTasks } from '../platform/adapters/embedded/serve-tasks.ts'
import { heavyTasks } from '../reconcile/heavy-work/tasks.ts'
import { certifier } from './certifier.ts'

serveTasks(heavyTasks({ random: Math.random, certifier }))
