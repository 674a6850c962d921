import type { Helm } from '../../engines/kustomize/generators/helm.ts'
import { chartPuller } from '../chart-puller.ts'
import type { AwsHub } from './aws-hub.ts'
import { chartsByFunction } from './helm-charts-function.ts'

/** Charts of kustomizations: downloaded by this function, under the rules of all addresses, and rendered by `helmcharts`, which reaches nothing. */
export const helmOnAws = ({ cloud, ports, environment, settings }: AwsHub): Helm => ({
  pull: chartPuller(cloud.connections),
  template: chartsByFunction(
    cloud,
    {
      functionName: `${environment.hubName}-helmcharts`,
      region: environment.region,
      identity: ports.identities!.aws,
    },
    settings.buildLimits,
  ),
})
