import { join } from 'node:path'
import { builtGoTool, type GoTool, goTool } from './go-tool.ts'

const tool: GoTool = {
  name: 'helm',
  source: join(import.meta.dirname, 'helm'),
  ldflags: '-s -w',
  takes: 'two to five minutes on two cores',
}

/** The real helm, as a program. */
export const helmBinary = (): Promise<string> => goTool(tool)

/** The same, if some suite has built it already. */
export const builtHelm = (): string | undefined => builtGoTool(tool)
