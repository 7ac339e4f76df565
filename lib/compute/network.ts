// The network of the workers. Workers make outgoing connections only: to SQS, to DynamoDB and to the targets of jobs.
import { Annotations } from 'aws-cdk-lib';
import {
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  IpAddresses,
  type ISubnet,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  Subnet,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { createLogGroup } from '../operations/logs.ts';
import type { DeploymentSettings } from '../settings/settings.ts';

export interface NetworkProps {
  /** Uses `network`, `vpcId`, `subnetIds` and `availabilityZones`. */
  readonly settings: DeploymentSettings;
  /**
   * An existing VPC. Workers run in its public subnets if `network` is `public`, else in its private ones.
   * @default - the VPC of `settings.vpcId`, or a new one
   */
  readonly vpc?: IVpc;
  /**
   * The key that encrypts the flow logs.
   * @default - a key that AWS owns
   */
  readonly encryptionKey?: IKey;
}

const CIDR = '10.64.0.0/16';

/**
 * The services that every worker calls. An endpoint costs about $7.30 a month in each zone. Metrics need none, because
 * they are log lines.
 */
const INTERFACES = {
  Sqs: InterfaceVpcEndpointAwsService.SQS,
  Logs: InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
  EcrApi: InterfaceVpcEndpointAwsService.ECR,
  EcrDocker: InterfaceVpcEndpointAwsService.ECR_DOCKER,
};

/** The services that a worker calls with these settings. */
const interfacesFor = ({ tracing, scripts }: DeploymentSettings) => ({
  ...INTERFACES,
  ...(tracing && { XRay: InterfaceVpcEndpointAwsService.XRAY }),
  ...(scripts && { Ecs: InterfaceVpcEndpointAwsService.ECS }),
});

export class Network extends Construct {
  readonly vpc: IVpc;
  readonly subnets: readonly ISubnet[];
  readonly assignPublicIp: boolean;
  readonly workers: SecurityGroup;

  constructor(scope: Construct, id: string, { settings, vpc, encryptionKey }: NetworkProps) {
    super(scope, id);
    this.assignPublicIp = settings.network === 'public';
    const subnetType = this.assignPublicIp ? SubnetType.PUBLIC : SubnetType.PRIVATE_ISOLATED;
    if (vpc) {
      this.vpc = vpc;
      this.subnets = this.assignPublicIp
        ? vpc.publicSubnets
        : [...vpc.privateSubnets, ...vpc.isolatedSubnets];
    } else if (settings.vpcId !== undefined) {
      this.vpc = Vpc.fromVpcAttributes(this, 'Existing', {
        vpcId: settings.vpcId,
        availabilityZones: [...(settings.availabilityZones ?? [])],
      });
      this.subnets = (settings.subnetIds ?? []).map((subnetId, index) => {
        const availabilityZone = settings.availabilityZones?.[index];
        const subnet = Subnet.fromSubnetAttributes(this, `Subnet${index}`, { subnetId, availabilityZone });
        // The routes of the subnet are not used here.
        Annotations.of(subnet).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId');
        return subnet;
      });
    } else {
      this.vpc = this.#create(subnetType, settings, encryptionKey);
      this.subnets = this.vpc.selectSubnets({ subnetType }).subnets;
    }
    this.workers = new SecurityGroup(this, 'Workers', {
      vpc: this.vpc,
      // A changed description would replace the group.
      description: 'Punctual workers: nobody calls them',
      allowAllOutbound: true,
    });
  }

  #create(subnetType: SubnetType, settings: DeploymentSettings, encryptionKey?: IKey): Vpc {
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr(CIDR),
      maxAzs: 2,
      natGateways: 0,
      subnetConfiguration: [{ name: 'workers', subnetType, cidrMask: 20 }],
      restrictDefaultSecurityGroup: false,
    });
    vpc.addFlowLog('Flows', {
      destination: FlowLogDestination.toCloudWatchLogs(
        createLogGroup(this, 'FlowLogs', { settings, encryptionKey }),
      ),
      trafficType: FlowLogTrafficType.REJECT,
    });
    // Gateway endpoints are free, and DynamoDB is the largest part of a worker's traffic.
    vpc.addGatewayEndpoint('DynamoDb', { service: GatewayVpcEndpointAwsService.DYNAMODB });
    vpc.addGatewayEndpoint('S3', { service: GatewayVpcEndpointAwsService.S3 });
    if (settings.network === 'endpoints') {
      const endpoints = new SecurityGroup(this, 'Endpoints', {
        vpc,
        description: 'Punctual: HTTPS from inside the VPC to the endpoints of AWS services',
        allowAllOutbound: false,
      });
      endpoints.addIngressRule(Peer.ipv4(CIDR), Port.tcp(443), 'HTTPS from the VPC');
      for (const [name, service] of Object.entries(interfacesFor(settings))) {
        vpc.addInterfaceEndpoint(name, { service, securityGroups: [endpoints], open: false });
      }
    }
    return vpc;
  }
}
