import { serveGit } from './git.ts'
import { serveOci } from './oci.ts'
import type { Serve } from './server.ts'

/** What can serve parts of a scenario: each looks at its own section. */
export const servers: readonly Serve[] = [serveGit, serveOci]

/** Sections of a scenario that one of the servers serves. */
export const servedSections: readonly string[] = ['git', 'oci']
