import { join } from 'node:path'
import { type GoTool, goTool } from './go-tool.ts'

export const registryTool: GoTool = {
  name: 'registry',
  source: join(import.meta.dirname, 'registry'),
  ldflags: '-s -w',
  takes: 'one to two minutes on two cores',
}

/** The path of a real registry (distribution, see registry/main.go), built if need be. */
export const registryBinary = (): Promise<string> => goTool(registryTool)
