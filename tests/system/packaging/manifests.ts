import { run } from "../support/apt.ts";
import { pythonProgram } from "../support/python_tools.ts";

/* The parts of a manifest of Kubernetes that tests read. */

export interface Probe {
  readonly exec?: { readonly command: readonly string[] };
  readonly tcpSocket?: { readonly port: string };
}

export interface Container {
  readonly command?: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly ports?: readonly { readonly containerPort: number }[];
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts?: readonly { readonly mountPath: string }[];
}

export interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly enableServiceLinks: boolean;
    readonly terminationGracePeriodSeconds?: number;
    readonly securityContext: Readonly<Record<string, unknown>>;
    readonly containers: readonly Container[];
  };
}

export interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly template?: Pod;
    readonly jobTemplate?: { readonly spec: { readonly template: Pod } };
  };
}

const TO_JSON = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))";

export async function readManifests(path: string): Promise<readonly Manifest[]> {
  const python = await pythonProgram("kubernetes_schemas", "python");
  return JSON.parse(await run(python, ["-c", TO_JSON, path])) as Manifest[];
}

/** The pods that a manifest asks for, if there are any. */
export function podOf({ spec }: Manifest): Pod | undefined {
  return spec.template ?? spec.jobTemplate?.spec.template;
}
