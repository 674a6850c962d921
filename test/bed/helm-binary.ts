import { join } from 'node:path'
import { builtGoTool, type GoTool, goTool } from './go-tool.ts'

/** Helm 4.2, on which flux 2.9's helm-controller is built. */
const tool: GoTool = {
  name: 'helm',
  source: join(import.meta.dirname, 'helm'),
  ldflags: '-s -w',
  takes: 'two to five minutes on two cores',
}

/** Helm 4.3, whose charts `lib/engines/helm` renders: of the same modules as the oracle of its libraries. */
const newest: GoTool = {
  ...tool,
  name: 'newest-helm',
  source: join(import.meta.dirname, 'helm-oracle'),
  package: 'helm.sh/helm/v4/cmd/helm',
}

/** The real helm, as a program. */
export const helmBinary = (): Promise<string> => goTool(tool)

/** The same, if some suite has built it already. */
export const builtHelm = (): string | undefined => builtGoTool(tool)

export const newestHelmBinary = (): Promise<string> => goTool(newest)

/** Helm 3, whose releases are taken over, and which takes over ours. */
const third: GoTool = {
  ...tool,
  name: 'helm3',
  source: join(import.meta.dirname, 'helm3'),
  package: 'helm.sh/helm/v3/cmd/helm',
}

export const helm3Binary = (): Promise<string> => goTool(third)

/** The same, if some suite has built it already. */
export const builtHelm3 = (): string | undefined => builtGoTool(third)
