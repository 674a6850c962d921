import { serveGit } from './git.ts'
import { serveHelm } from './helm.ts'
import { serveOci } from './oci.ts'
import type { Serve } from './server.ts'

/** What can serve parts of a scenario: each looks at its own section. */
export const servers: readonly Serve[] = [serveGit, serveOci, serveHelm]

/** Sections of a scenario that one of the servers serves. */
export const servedSections: readonly string[] = ['git', 'oci', 'helm']
