import { Command } from 'commander'
import type { Output } from '../output.ts'
import { diffHelmReleaseCommand } from './diff-helm-release.ts'
import { diffKustomizationCommand } from './diff-kustomization.ts'

/** `keelson diff`: compares live clusters with what would be applied. */
export const diffCommand = (env: NodeJS.ProcessEnv, output: Output): Command =>
  new Command('diff')
    .summary('compare what would be applied with the live cluster')
    .description('Compares the objects that a Flux object would apply with its cluster.')
    .addCommand(diffKustomizationCommand(env, output))
    .addCommand(diffHelmReleaseCommand(env, output))
