import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { createReferences } from '../hub/references/references.ts'
import { artifactGeneratorReconciler } from '../reconcile/artifact-generator/artifact-generator.ts'
import { outputWriter } from '../reconcile/artifact-generator/output-writer.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { refetchThrough } from '../reconcile/source-artifact/read-artifact.ts'
import { externalArtifactDownload } from '../sources/artifact/external-artifact.ts'
import { storageOf } from './artifact-storage.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** The reconciler that puts artifacts together from the files of sources. */
export const composeArtifactGenerators = (
  ports: Pick<Ports, 'artifacts' | 'clock' | 'connections' | 'schedule' | 'queue'>,
  settings: CoreSettings,
  { hub }: Pick<ComposedHub, 'hub'>,
): readonly Reconciler<KubernetesObject>[] => {
  const references = createReferences(hub)
  const { noCrossNamespaceRefs, requeueDependencyMs } = settings
  return [
    artifactGeneratorReconciler(
      {
        ...ports,
        outputs: outputWriter(hub),
        references,
        refetch: refetchThrough({ ...ports, references }),
        download: externalArtifactDownload(ports.connections),
      },
      { ...storageOf(settings), noCrossNamespaceRefs, requeueDependencyMs },
    ),
  ]
}
