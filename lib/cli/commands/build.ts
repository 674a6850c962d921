import { Command } from 'commander'
import { buildArtifactGeneratorCommand } from './build-artifact-generator.ts'
import { buildHelmReleaseCommand } from './build-helm-release.ts'
import { buildKustomizationCommand } from './build-kustomization.ts'
import { buildResourceSetCommand } from './build-resource-set.ts'

/** `keelson build`: what would be applied, without applying it. */
export const buildCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  new Command('build')
    .summary('build what a Flux object would apply')
    .description('Builds the objects that a Flux object in the hub or in local files would apply.')
    .addCommand(buildKustomizationCommand(env, output))
    .addCommand(buildHelmReleaseCommand(env, output))
    .addCommand(buildResourceSetCommand(output))
    .addCommand(buildArtifactGeneratorCommand(output))
